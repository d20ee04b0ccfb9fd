package dev.ringside.gpu;

/** Everybody who waited for a step has left, so it was not computed to its end. Nothing failed: the step is rolled back like one that did. */
public final class StepAbandonedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StepAbandonedException() {
        super("Nobody waits for this step any more", null, false, false);
    }
}

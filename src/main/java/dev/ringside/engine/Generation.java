package dev.ringside.engine;

/** A submitted request. Thread safe. */
public sealed interface Generation permits ActiveGeneration {

    /** The request's id. */
    String id();

    /**
     * Asks the engine to drop the request. It leaves between two steps, inside a long prompt too, or between two layers when nobody else is in the step, and its listener is told by
     * {@link GenerationListener#onCancelled()}, unless it ended before. May be called repeatedly.
     */
    void cancel();

    /**
     * Asks the engine to end the request where it is: as if {@code max_tokens} had been reached when it has generated anything, otherwise like
     * {@link #cancel}.
     */
    void finish();

    /** Whether its state is outside the device now. */
    boolean isSuspended();
}

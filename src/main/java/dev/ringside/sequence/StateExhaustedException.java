package dev.ringside.sequence;

/** The pool has no room for the sequence or for its next positions; nothing was changed. The message gives the numbers. */
public final class StateExhaustedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StateExhaustedException(String message) {
        super(message);
    }
}

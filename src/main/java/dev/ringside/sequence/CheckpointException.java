package dev.ringside.sequence;

/** Saved state can't be used: it is damaged, or belongs to something else. The message says what differs and how; nothing was changed. */
public final class CheckpointException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    CheckpointException(String message) {
        super(message);
    }

    CheckpointException(String message, Throwable cause) {
        super(message, cause);
    }
}

package dev.ringside.config;

import org.jspecify.annotations.Nullable;

/** Ringside can't start; the user gets description and action instead of a stack trace. */
final class StartupException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * @param description what is wrong, with the names of file and property
     * @param action what would help
     */
    StartupException(String description, String action, @Nullable Throwable cause) {
        super(description, cause);
        this.action = action;
    }

    String action() {
        return action;
    }
}

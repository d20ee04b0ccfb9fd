package dev.ringside.cli;

import org.jspecify.annotations.Nullable;

/** The work of a command failed. The message is what people see: the thing, what is wrong with it, and the remedy. */
final class CommandException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    CommandException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

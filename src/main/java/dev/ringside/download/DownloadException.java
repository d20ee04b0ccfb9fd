package dev.ringside.download;

import org.jspecify.annotations.Nullable;

/** A model can't be had. The message names address and reason, {@link #action()} what would help; neither holds secrets. */
public final class DownloadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    DownloadException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    /** What would help. */
    public String action() {
        return action;
    }
}

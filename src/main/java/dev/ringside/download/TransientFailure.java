package dev.ringside.download;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Something that may work when it is tried again. */
final class TransientFailure extends IOException {

    private static final long serialVersionUID = 1L;

    private final @Nullable Duration retryAfter;

    /** @param retryAfter what the server asked for, or null */
    TransientFailure(String message, @Nullable Duration retryAfter, @Nullable Throwable cause) {
        super(message, cause);
        this.retryAfter = retryAfter;
    }

    @Nullable
    Duration retryAfter() {
        return retryAfter;
    }
}

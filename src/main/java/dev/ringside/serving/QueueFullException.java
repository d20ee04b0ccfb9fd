package dev.ringside.serving;

import java.time.Duration;
import java.util.Optional;

/** As many requests run and wait as may. */
public final class QueueFullException extends ServingException {

    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    public QueueFullException(int active, int queued, Duration retryAfter) {
        super("The server is full: " + active + " requests run and " + queued + " wait. A place should be free in about "
                + retryAfter.toSeconds() + " s.");
        this.retryAfter = retryAfter;
    }

    /** When a place is expected to be free, in whole seconds, at least one. */
    @Override
    public Optional<Duration> retryAfter() {
        return Optional.of(retryAfter);
    }
}

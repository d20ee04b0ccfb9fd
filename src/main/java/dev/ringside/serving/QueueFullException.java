package dev.ringside.serving;

import java.time.Duration;
import java.util.Optional;

/** As many requests run and wait as may. */
public final class QueueFullException extends ServingException {

    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    public QueueFullException(int active, int queued, Duration retryAfter) {
        this("The server is full: " + active + " requests run and " + queued + " wait.", retryAfter);
    }

    private QueueFullException(String fact, Duration retryAfter) {
        super(fact + " A place should be free in about " + retryAfter.toSeconds() + " s.");
        this.retryAfter = retryAfter;
    }

    /** Too many prompt tokens wait already. */
    static QueueFullException ofTokens(int prompt, long queued, long most, Duration retryAfter) {
        return new QueueFullException("A prompt of " + prompt + " tokens finds " + queued + " prompt tokens waiting, and "
                + most + " may (ringside.scheduler.queue-tokens).", retryAfter);
    }

    /** When a place is expected to be free, in whole seconds, at least one. */
    @Override
    public Optional<Duration> retryAfter() {
        return Optional.of(retryAfter);
    }

    @Override
    public String code() {
        return "queue_full";
    }
}

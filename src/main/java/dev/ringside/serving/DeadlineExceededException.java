package dev.ringside.serving;

import java.time.Duration;
import java.util.Optional;

/** The request had no token when its time was up. */
public final class DeadlineExceededException extends ServingException {

    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    private DeadlineExceededException(String message, Duration retryAfter) {
        super(message);
        this.retryAfter = retryAfter;
    }

    static DeadlineExceededException whole(Duration limit, Duration retryAfter) {
        return new DeadlineExceededException("The request had no token after its time limit of " + seconds(limit)
                + " (its field timeout or ringside.scheduler.request-timeout)", retryAfter);
    }

    static DeadlineExceededException firstToken(Duration limit, Duration retryAfter) {
        return new DeadlineExceededException("The request had no token after " + seconds(limit)
                + " (ringside.scheduler.first-token-timeout)", retryAfter);
    }

    private static String seconds(Duration limit) {
        return limit.toMillis() % 1000 == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
    }

    @Override
    public String code() {
        return "timeout";
    }

    @Override
    public Optional<Duration> retryAfter() {
        return Optional.of(retryAfter);
    }
}

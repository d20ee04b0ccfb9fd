package dev.ringside.serving;

import java.time.Duration;
import java.util.Optional;

/** The key has used up its requests or tokens of this minute. */
public final class RateLimitedException extends ServingException {

    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    /** @param what requests or tokens */
    RateLimitedException(String what, int limit, String keyName, Duration retryAfter) {
        super("Rate limit of " + limit + " " + what + " per minute reached for " + keyName + ". Try again in " + retryAfter.toSeconds()
                + " s.");
        this.retryAfter = retryAfter;
    }

    @Override
    public String code() {
        return "rate_limit_exceeded";
    }

    @Override
    public Optional<Duration> retryAfter() {
        return Optional.of(retryAfter);
    }
}

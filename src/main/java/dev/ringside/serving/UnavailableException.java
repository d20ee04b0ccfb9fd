package dev.ringside.serving;

import java.time.Duration;
import java.util.Optional;

/** The server takes no requests: it is starting or shutting down, or its engine has stopped. */
public final class UnavailableException extends ServingException {

    private static final long serialVersionUID = 1L;
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    private final Duration retryAfter;

    public UnavailableException(String message) {
        this(message, RETRY_AFTER);
    }

    UnavailableException(String message, Duration retryAfter) {
        super(message);
        this.retryAfter = retryAfter;
    }

    static UnavailableException shuttingDown() {
        return new UnavailableException("The server is shutting down");
    }

    @Override
    public Optional<Duration> retryAfter() {
        return Optional.of(retryAfter);
    }

    @Override
    public String code() {
        return "unavailable";
    }
}

package dev.ringside.serving;

import java.time.Duration;
import java.util.Optional;

/** The server takes no requests: it is starting or shutting down, or its engine has stopped. */
public final class UnavailableException extends ServingException {

    private static final long serialVersionUID = 1L;
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    public UnavailableException(String message) {
        super(message);
    }

    static UnavailableException shuttingDown() {
        return new UnavailableException("The server is shutting down");
    }

    @Override
    public Optional<Duration> retryAfter() {
        return Optional.of(RETRY_AFTER);
    }
}

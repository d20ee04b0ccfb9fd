package dev.ringside.serving;

import java.time.Duration;
import java.util.Optional;

/** Why a generation was not begun or not finished. The message is fit to be shown to the client. */
public abstract sealed class ServingException extends RuntimeException
        permits InvalidRequestException, PromptTooLongException, QueueFullException, UnavailableException, GenerationFailedException,
        DeadlineExceededException, RequestCancelledException, RateLimitedException {

    private static final long serialVersionUID = 1L;

    ServingException(String message) {
        super(message);
    }

    ServingException(String message, Throwable cause) {
        super(message, cause);
    }

    /** A word for programs, as the HTTP API has it. */
    public abstract String code();

    /** When to try again, if trying again can help. */
    public Optional<Duration> retryAfter() {
        return Optional.empty();
    }
}

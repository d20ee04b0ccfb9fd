package dev.ringside.serving;

import dev.ringside.engine.GenerationException;
import java.time.Duration;
import java.util.Optional;

/** The engine could not compute or finish the generation. */
public final class GenerationFailedException extends ServingException {

    private static final long serialVersionUID = 1L;
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    private final GenerationException.Kind kind;

    public GenerationFailedException(GenerationException cause) {
        super(String.valueOf(cause.getMessage()), cause);
        this.kind = cause.kind();
    }

    public GenerationException.Kind kind() {
        return kind;
    }

    /** Whether the same request may succeed later: a read or the device failed, not the request. */
    public boolean isTransient() {
        return switch (kind) {
            case EXPERT_IO, DEVICE, STATE_MEMORY, SHUTDOWN -> true;
            case INVALID_LOGITS, LISTENER, INTERNAL -> false;
        };
    }

    @Override
    public Optional<Duration> retryAfter() {
        return isTransient() ? Optional.of(RETRY_AFTER) : Optional.empty();
    }

    @Override
    public String code() {
        return switch (kind) {
            case EXPERT_IO -> "expert_io";
            case DEVICE -> "device_fault";
            case STATE_MEMORY -> "state_memory";
            case SHUTDOWN -> "shutting_down";
            case INVALID_LOGITS -> "invalid_logits";
            case LISTENER, INTERNAL -> "internal_error";
        };
    }
}

package dev.ringside.engine;

import dev.ringside.engine.GenerationException.Kind;
import dev.ringside.expert.ExpertReadException;
import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.DeviceOutOfMemoryException;
import dev.ringside.sampling.InvalidLogitsException;
import dev.ringside.sequence.StateExhaustedException;
import org.jspecify.annotations.Nullable;

/** What a failed step means for the request that caused it. */
final class Failures {

    /** Causes looked at: kernels run on worker threads, so what they throw may arrive wrapped. */
    private static final int DEPTH = 8;

    private Failures() {}

    static GenerationException of(Throwable failure) {
        @Nullable Throwable cause = failure;
        for (int depth = 0; cause != null && depth < DEPTH; depth++, cause = cause.getCause()) {
            Kind kind = kindOf(cause);
            if (kind != Kind.INTERNAL) {
                return new GenerationException(kind, String.valueOf(cause.getMessage()), failure);
            }
        }
        return new GenerationException(Kind.INTERNAL, "The model could not compute this request: " + failure, failure);
    }

    private static Kind kindOf(Throwable failure) {
        return switch (failure) {
            case GenerationException known -> known.kind();
            case ExpertReadException _ -> Kind.EXPERT_IO;
            case DeviceOutOfMemoryException _ -> Kind.STATE_MEMORY;
            case StateExhaustedException _ -> Kind.STATE_MEMORY;
            case DeviceException _ -> Kind.DEVICE;
            case InvalidLogitsException _ -> Kind.INVALID_LOGITS;
            default -> Kind.INTERNAL;
        };
    }
}

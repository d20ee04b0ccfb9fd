package dev.ringside.engine;

/** A generation ended without a result. Others are not affected. */
public final class GenerationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What failed. */
    public enum Kind {
        /** The bytes of an expert could not be read; a later try may succeed. */
        EXPERT_IO,
        /** The device refused a call or reported a fault. */
        DEVICE,
        /** There is not enough memory for the state of the sequence. */
        STATE_MEMORY,
        /** The model computed logits that can't be sampled from. */
        INVALID_LOGITS,
        /** The listener threw. */
        LISTENER,
        /** The engine was closed meanwhile. */
        SHUTDOWN,
        /** A defect of the engine or the model. */
        INTERNAL
    }

    private final Kind kind;

    public GenerationException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public GenerationException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}

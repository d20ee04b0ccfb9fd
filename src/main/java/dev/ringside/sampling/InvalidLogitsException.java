package dev.ringside.sampling;

/** The logits of a row can't be sampled from: NaN, positive infinity, or nothing but negative infinity. */
public final class InvalidLogitsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public InvalidLogitsException(String message) {
        super(message);
    }
}

package dev.ringside.sampling;

/** A sampling parameter is out of range. */
public final class InvalidSamplingException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String parameter;

    public InvalidSamplingException(String parameter, String message) {
        super(message);
        this.parameter = parameter;
    }

    /** The parameter as the HTTP API names it. */
    public String parameter() {
        return parameter;
    }
}

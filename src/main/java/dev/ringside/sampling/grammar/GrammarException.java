package dev.ringside.sampling.grammar;

/** A grammar, pattern or schema can't be compiled. The message says where, what and why. */
public class GrammarException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    public GrammarException(String message) {
        super(message);
    }
}

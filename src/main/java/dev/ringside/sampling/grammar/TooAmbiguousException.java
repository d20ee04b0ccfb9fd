package dev.ringside.sampling.grammar;

/**
 * A grammar leaves so many ways open at one place of the text that following them all would hold up everybody else, as {@code (a?){9999}} does. Only
 * the generation concerned has to end.
 */
public final class TooAmbiguousException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    TooAmbiguousException(String message) {
        super(message);
    }
}

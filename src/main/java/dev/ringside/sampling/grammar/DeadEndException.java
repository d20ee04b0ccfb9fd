package dev.ringside.sampling.grammar;

/**
 * No token of the vocabulary goes on with what the grammar asks for. It can only happen with a vocabulary that lacks single-byte tokens, or one
 * without a token that ends the generation.
 */
public final class DeadEndException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    DeadEndException(String message) {
        super(message);
    }
}

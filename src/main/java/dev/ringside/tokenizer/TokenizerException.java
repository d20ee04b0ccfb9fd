package dev.ringside.tokenizer;

/** A text that cannot be encoded, or a vocabulary that cannot be used; the message says where and why. */
public final class TokenizerException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    public TokenizerException(String message) {
        super(message);
    }
}

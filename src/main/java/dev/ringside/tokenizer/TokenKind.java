package dev.ringside.tokenizer;

/** The values of {@code tokenizer.ggml.token_type}. */
enum TokenKind {
    NORMAL(1), UNKNOWN(2), CONTROL(3), USER_DEFINED(4), UNUSED(5), BYTE(6);

    private final int code;

    TokenKind(int code) {
        this.code = code;
    }

    static TokenKind of(int code, int token) {
        for (TokenKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        throw new TokenizerException("tokenizer.ggml.token_type[" + token + "] is " + code + ", expected 1 to 6");
    }

    /** Whether the spelling of the token stands for the token in template text. */
    boolean isSpecial() {
        return this == CONTROL || this == USER_DEFINED;
    }

    /** Whether the token shows no text. */
    boolean isSilent() {
        return this == CONTROL || this == UNKNOWN || this == UNUSED;
    }
}

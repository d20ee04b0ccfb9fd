package dev.ringside.serving;

/** The prompt leaves no room in the context for a single generated token. */
public final class PromptTooLongException extends ServingException {

    private static final long serialVersionUID = 1L;

    private final int promptTokens;
    private final int contextLength;

    public PromptTooLongException(int promptTokens, int contextLength) {
        super("The prompt has " + promptTokens + " tokens, but the context length is " + contextLength
                + " tokens, prompt and completion together. Shorten the prompt.");
        this.promptTokens = promptTokens;
        this.contextLength = contextLength;
    }

    public int promptTokens() {
        return promptTokens;
    }

    public int contextLength() {
        return contextLength;
    }

    @Override
    public String code() {
        return "context_length_exceeded";
    }
}

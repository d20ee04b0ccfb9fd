package dev.ringside.chat;

/** How a model marks what it thinks before it answers. */
public enum ReasoningFormat {

    /** It doesn't. */
    NONE("", ""),

    /** {@code <think>...</think>} at the beginning of the turn; some templates write the first mark themselves. */
    THINK_TAGS("<think>", "</think>"),

    /** {@code [THINK]...[/THINK]}: Mistral's reasoning models. */
    THINK_BRACKETS("[THINK]", "[/THINK]"),

    /** A message of its own in the channel {@code analysis}: gpt-oss. */
    HARMONY("", "");

    private final String opener;
    private final String closer;

    ReasoningFormat(String opener, String closer) {
        this.opener = opener;
        this.closer = closer;
    }

    /** The mark before the reasoning, empty when there is none. */
    public String opener() {
        return opener;
    }

    /** The mark behind the reasoning, empty when there is none. */
    public String closer() {
        return closer;
    }
}

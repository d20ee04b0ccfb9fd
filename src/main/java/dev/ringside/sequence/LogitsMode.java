package dev.ringside.sequence;

/** Which rows of a step need logits. */
public enum LogitsMode {
    /** None: a chunk of a prompt that is not its end. */
    NONE,
    /** The last row: the next token is drawn from it. */
    LAST,
    /** Every row: drafts are verified. */
    ALL
}

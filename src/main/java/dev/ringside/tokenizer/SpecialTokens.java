package dev.ringside.tokenizer;

/** What the spelling of a control or user-defined token (such as {@code <|im_end|>}) in a text stands for. */
public enum SpecialTokens {
    /** The token itself: for text written by a chat template or by the operator. */
    RECOGNISE,
    /** Ordinary characters: for text written by a user, which must never be able to end a turn or open another. */
    AS_TEXT
}

package dev.ringside.tokenizer;

/** Encodes text without special tokens: what lies between two of them. Holds working memory: one per call, not shared. */
sealed interface PartEncoder permits BytePairPartEncoder, PiecePartEncoder {

    /** Appends the tokens of {@code part}, which is not empty and holds whole characters. */
    void encode(String part, IntList output);
}

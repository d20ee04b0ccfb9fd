package dev.ringside.sampling.grammar;

/**
 * Allowed tokens of a state.
 *
 * @param words bit {@code t & 63} of word {@code t >> 6} for token {@code t}; not to be changed
 * @param empty whether no token is allowed
 * @param full whether all are
 */
record Mask(long[] words, boolean empty, boolean full) {

    static Mask of(long[] words, int vocabularySize) {
        int count = 0;
        for (long word : words) {
            count += Long.bitCount(word);
        }
        return new Mask(words, count == 0, count == vocabularySize);
    }
}

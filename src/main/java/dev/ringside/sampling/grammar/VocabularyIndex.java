package dev.ringside.sampling.grammar;

/** What is worked out once per vocabulary. Immutable. */
final class VocabularyIndex {

    final TokenTrie trie;
    final StringTokens strings;
    final ControlTokens controls;
    private final long[] ends;
    private final long[] control;

    VocabularyIndex(Vocabulary vocabulary) {
        trie = new TokenTrie(vocabulary);
        strings = new StringTokens(trie);
        controls = new ControlTokens(vocabulary);
        ends = new long[trie.words()];
        control = new long[trie.words()];
        for (int t = 0; t < trie.vocabularySize(); t++) {
            if (vocabulary.endsGeneration(t)) {
                ends[t >> 6] |= 1L << t;
            } else if (vocabulary.control(t) || trie.length(t) == 0) {
                // A token without text is like a control token: nothing but free text lets it pass.
                control[t >> 6] |= 1L << t;
            }
        }
    }

    int size() {
        return trie.vocabularySize();
    }

    boolean ends(int token) {
        return (ends[token >> 6] >> token & 1) != 0;
    }

    boolean control(int token) {
        return (control[token >> 6] >> token & 1) != 0;
    }

    void markEnds(long[] mask) {
        for (int w = 0; w < mask.length; w++) {
            mask[w] |= ends[w];
        }
    }

    void markControls(long[] mask, int except) {
        boolean before = except >= 0 && (mask[except >> 6] >> except & 1) != 0;
        for (int w = 0; w < mask.length; w++) {
            mask[w] |= control[w];
        }
        if (except >= 0 && !before) {
            mask[except >> 6] &= ~(1L << except);
        }
    }
}

package dev.ringside.model;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Row numbers of the n-gram table for a token in its context: for each n from 2 up, the products of the last n ids with their multipliers,
 * xor-ed, modulo each head's size. Going back, once a predecessor is missing or is the end token, it and everything older read as the end
 * token; the current token being the end token cuts nothing.
 */
final class NGramHash {

    private final NGramSpec nGram;

    NGramHash(NGramSpec nGram) {
        this.nGram = nGram;
    }

    /**
     * Writes the {@code heads()} row numbers of one token.
     *
     * @param token the current id
     * @param history ids by position, read in front of {@code position}
     * @param target 64-bit numbers
     * @param index where in {@code target}, in numbers
     */
    void rows(int token, int[] history, int position, MemorySegment target, long index) {
        long mixed = token * nGram.multipliers()[0];
        boolean cut = false;
        int head = 0;
        for (int n = 2; n <= nGram.order(); n++) {
            int before = position - (n - 1);
            cut = cut || before < 0 || history[before] == nGram.endToken();
            int id = cut ? nGram.endToken() : history[before];
            mixed ^= id * nGram.multipliers()[n - 1];
            for (int i = 0; i < nGram.headsPerOrder(); i++, head++) {
                long row = nGram.headOffsets()[head] + Long.remainderUnsigned(mixed, nGram.headSizes()[head]);
                target.setAtIndex(ValueLayout.JAVA_LONG, index + head, row);
            }
        }
    }
}

package dev.ringside.tokenizer;

/**
 * Merges the bytes of one word after another: always the pair with the lowest rank, of equal ones the leftmost. Short words look for it by
 * scanning, long ones with a heap over a linked list, so that a word of a million letters takes n log n steps and no recursion.
 * Holds working memory: one per call, not shared.
 * <p>
 * Some vocabularies hold tokens that no order of merges arrives at; with {@code wholeWords} a word that is a token is taken as it is.
 */
final class BytePairEncoder {

    /** Up to this many symbols a scan per merge is cheaper than a heap. */
    private static final int SCAN_LIMIT = 24;

    private final Vocabulary vocabulary;
    private final Merges merges;
    private final boolean wholeWords;

    private int[] symbols = new int[64];
    private int[] ranks = new int[64];
    private int[] next = new int[0];
    private int[] previous = new int[0];
    private LongHeap heap = new LongHeap(0);

    BytePairEncoder(Vocabulary vocabulary, Merges merges, boolean wholeWords) {
        this.vocabulary = vocabulary;
        this.merges = merges;
        this.wholeWords = wholeWords;
    }

    /** Appends the tokens of the word in bytes {@code from} to {@code to}. */
    void encode(byte[] bytes, int from, int to, IntList output) {
        int length = to - from;
        if (wholeWords && length <= vocabulary.longestOrdinary()) {
            int whole = vocabulary.findOrdinary(bytes, from, to);
            if (whole >= 0) {
                output.add(whole);
                return;
            }
        }
        if (symbols.length < length) {
            symbols = new int[Math.max(length, symbols.length * 2)];
            ranks = new int[symbols.length];
        }
        for (int i = 0; i < length; i++) {
            symbols[i] = vocabulary.byteToken(bytes[from + i]);
        }
        for (int i = 0; i + 1 < length; i++) {
            ranks[i] = merges.rank(symbols[i], symbols[i + 1]);
        }
        if (length <= SCAN_LIMIT) {
            mergeByScan(length, output);
        } else {
            mergeByHeap(length, output);
        }
    }

    private void mergeByScan(int length, IntList output) {
        int count = length;
        while (count > 1) {
            int best = 0;
            for (int i = 1; i < count - 1; i++) {
                if (ranks[i] < ranks[best]) {
                    best = i;
                }
            }
            if (ranks[best] == Merges.NONE) {
                break;
            }
            symbols[best] = merges.result(symbols[best], symbols[best + 1]);
            count--;
            System.arraycopy(symbols, best + 2, symbols, best + 1, count - best - 1);
            System.arraycopy(ranks, best + 1, ranks, best, count - best - 1);
            if (best + 1 < count) {
                ranks[best] = merges.rank(symbols[best], symbols[best + 1]);
            }
            if (best > 0) {
                ranks[best - 1] = merges.rank(symbols[best - 1], symbols[best]);
            }
        }
        for (int i = 0; i < count; i++) {
            output.add(symbols[i]);
        }
    }

    private void mergeByHeap(int length, IntList output) {
        prepareLinks(length);
        while (!heap.isEmpty()) {
            long entry = heap.removeLeast();
            int rank = (int) (entry >>> 32);
            int left = (int) entry;
            if (ranks[left] != rank) {
                continue; // one of the two symbols has been merged away since
            }
            int right = next[left];
            symbols[left] = merges.result(symbols[left], symbols[right]);
            ranks[right] = Merges.NONE;
            int after = next[right];
            next[left] = after;
            if (after < length) {
                previous[after] = left;
            }
            rankAgain(left, after, length);
            if (left > 0) {
                rankAgain(previous[left], left, length);
            }
        }
        for (int i = 0; i < length; i = next[i]) {
            output.add(symbols[i]);
        }
    }

    private void prepareLinks(int length) {
        if (next.length < length) {
            next = new int[symbols.length];
            previous = new int[symbols.length];
        }
        ranks[length - 1] = Merges.NONE;
        heap.clear();
        for (int i = 0; i < length; i++) {
            next[i] = i + 1;
            previous[i] = i - 1;
            if (ranks[i] != Merges.NONE) {
                heap.add((long) ranks[i] << 32 | i);
            }
        }
    }

    private void rankAgain(int left, int right, int length) {
        int rank = right < length ? merges.rank(symbols[left], symbols[right]) : Merges.NONE;
        ranks[left] = rank;
        if (rank != Merges.NONE) {
            heap.add((long) rank << 32 | left);
        }
    }
}

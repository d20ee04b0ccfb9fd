package dev.ringside.tokenizer;

import java.util.Arrays;

/**
 * Merges the characters of a text after the manner of SentencePiece's BPE model: always the two neighbours that together are the piece
 * with the highest score, of equal ones the leftmost. A heap over a linked list: n log n steps and no recursion. A character that is no
 * piece becomes one token per byte. Holds working memory: one per call, not shared.
 */
final class PieceEncoder {

    private static final int NONE = -1;

    private final Vocabulary vocabulary;
    private final PieceScores scores;
    private final LongHeap heap = new LongHeap(0);

    private byte[] bytes = new byte[0];
    private int count;

    /** By symbol, numbered by its first character: where it begins, the symbols around it, its piece if it is a merged one. */
    private int[] starts = new int[64];
    private int[] next = new int[64];
    private int[] previous = new int[64];
    private int[] pieces = new int[64];

    /** The piece that a symbol and the next one make together. */
    private int[] merged = new int[64];

    PieceEncoder(Vocabulary vocabulary, PieceScores scores) {
        this.vocabulary = vocabulary;
        this.scores = scores;
    }

    /** Appends the tokens of the characters in bytes {@code from} to {@code to}. */
    void encode(byte[] utf8, int from, int to, IntList output) {
        bytes = utf8;
        split(from, to);
        heap.clear();
        for (int i = 0; i < count; i++) {
            next[i] = i + 1;
            previous[i] = i - 1;
            pieces[i] = NONE;
        }
        for (int i = 0; i < count; i++) {
            offer(i);
        }
        merge();
        for (int i = 0; i < count; i = next[i]) {
            emit(i, output);
        }
    }

    private void split(int from, int to) {
        if (starts.length <= to - from) {
            int capacity = Math.max(to - from + 1, starts.length * 2);
            starts = Arrays.copyOf(starts, capacity);
            next = new int[capacity];
            previous = new int[capacity];
            pieces = new int[capacity];
            merged = new int[capacity];
        }
        count = 0;
        for (int i = from; i < to; i++) {
            if ((bytes[i] & 0xC0) != 0x80) {
                starts[count++] = i;
            }
        }
        starts[count] = to;
    }

    private void offer(int left) {
        merged[left] = NONE;
        int right = next[left];
        if (right == count) {
            return;
        }
        int end = starts[next[right]];
        if (end - starts[left] > vocabulary.longestOrdinary()) {
            return;
        }
        int piece = vocabulary.findOrdinary(bytes, starts[left], end);
        if (piece >= 0) {
            merged[left] = piece;
            heap.add((long) scores.order(piece) << 32 | left);
        }
    }

    private void merge() {
        while (!heap.isEmpty()) {
            long entry = heap.removeLeast();
            int left = (int) entry;
            int piece = merged[left];
            if (piece == NONE || scores.order(piece) != (int) (entry >> 32)) {
                continue; // one of the two symbols has been merged away since
            }
            pieces[left] = piece;
            int right = next[left];
            merged[right] = NONE;
            int after = next[right];
            next[left] = after;
            if (after < count) {
                previous[after] = left;
            }
            offer(left);
            if (left > 0) {
                offer(previous[left]);
            }
        }
    }

    private void emit(int symbol, IntList output) {
        int end = starts[next[symbol]];
        int piece = pieces[symbol] == NONE ? vocabulary.findOrdinary(bytes, starts[symbol], end) : pieces[symbol];
        if (piece >= 0) {
            output.add(piece);
            return;
        }
        for (int i = starts[symbol]; i < end; i++) {
            output.add(vocabulary.byteToken(bytes[i]));
        }
    }
}

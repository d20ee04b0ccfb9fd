package dev.ringside.tokenizer;

import java.util.Arrays;
import java.util.List;

/** The merges of a byte-pair encoding: (left id, right id) to rank and resulting id, open addressing on one long. Lower ranks go first. */
final class Merges {

    /** Rank of a pair that does not merge. */
    static final int NONE = Integer.MAX_VALUE;

    private static final long EMPTY = -1L;

    private final long[] keys;
    private final int[] ranks;
    private final int[] results;

    /** @param merges {@code "left right"} in the {@link ByteAlphabet}; the rank is the index */
    Merges(List<String> merges, Vocabulary vocabulary) {
        int capacity = Integer.highestOneBit(Math.max(8, merges.size())) * 4;
        this.keys = new long[capacity];
        this.ranks = new int[capacity];
        this.results = new int[capacity];
        Arrays.fill(keys, EMPTY);
        byte[] scratch = new byte[256];
        for (int rank = 0; rank < merges.size(); rank++) {
            String merge = merges.get(rank);
            if (scratch.length < merge.length() * 3) {
                scratch = new byte[merge.length() * 6];
            }
            add(merge, rank, vocabulary, scratch);
        }
    }

    private void add(String merge, int rank, Vocabulary vocabulary, byte[] scratch) {
        int space = merge.indexOf(' ', 1);
        if (space < 0 || space == merge.length() - 1) {
            throw new TokenizerException(
                    "tokenizer.ggml.merges[" + rank + "] is '" + merge + "', expected two tokens with a space between");
        }
        int split = 0;
        int length = 0;
        for (int i = 0; i < merge.length(); i++) {
            if (i == space) {
                split = length;
                continue;
            }
            int value = ByteAlphabet.byteOf(merge.charAt(i));
            if (value < 0) {
                throw new TokenizerException(
                        "tokenizer.ggml.merges[" + rank + "] '" + merge + "' holds a character that stands for no byte");
            }
            scratch[length++] = (byte) value;
        }
        int left = vocabulary.findOrdinary(scratch, 0, split);
        int right = vocabulary.findOrdinary(scratch, split, length);
        int result = vocabulary.findOrdinary(scratch, 0, length);
        if (left < 0 || right < 0 || result < 0) {
            throw new TokenizerException("tokenizer.ggml.merges[" + rank + "] '" + merge + "': the "
                    + (left < 0 ? "left part" : right < 0 ? "right part" : "result") + " is not in tokenizer.ggml.tokens");
        }
        long key = key(left, right);
        int slot = slot(key);
        if (keys[slot] == EMPTY) {
            keys[slot] = key;
            ranks[slot] = rank;
            results[slot] = result;
        }
    }

    /** Rank of the pair, or {@link #NONE}. */
    int rank(int left, int right) {
        long key = key(left, right);
        int slot = slot(key);
        return keys[slot] == key ? ranks[slot] : NONE;
    }

    /** The token that a pair with a rank merges to. */
    int result(int left, int right) {
        return results[slot(key(left, right))];
    }

    private static long key(int left, int right) {
        return (long) left << 32 | right;
    }

    private int slot(long key) {
        int mask = keys.length - 1;
        long mixed = key * 0x9E3779B97F4A7C15L;
        int slot = (int) (mixed >>> 32) & mask;
        while (keys[slot] != EMPTY && keys[slot] != key) {
            slot = slot + 1 & mask;
        }
        return slot;
    }
}

package dev.ringside.tokenizer;

import java.util.Arrays;

/** Finds a byte string of a {@link BytePool} by its content: open addressing, at most half full. */
final class ByteStringIndex {

    static final int ABSENT = -1;

    private final BytePool pool;

    /** Hash in the upper half, number in the lower: strings are only compared when their hashes are equal. */
    private final long[] slots;

    ByteStringIndex(BytePool pool, int capacity) {
        this.pool = pool;
        this.slots = new long[Integer.highestOneBit(Math.max(8, capacity)) * 4];
        Arrays.fill(slots, ABSENT);
    }

    /** Adds the string of this number unless an equal one is there already: the first wins. */
    void add(int index) {
        int mask = slots.length - 1;
        int hash = pool.hash(index);
        int slot = hash & mask;
        while (slots[slot] != ABSENT) {
            if ((int) (slots[slot] >>> 32) == hash && pool.equals((int) slots[slot], index)) {
                return;
            }
            slot = slot + 1 & mask;
        }
        slots[slot] = (long) hash << 32 | index;
    }

    int find(byte[] bytes, int from, int to) {
        int mask = slots.length - 1;
        int hash = BytePool.hash(bytes, from, to);
        int slot = hash & mask;
        while (slots[slot] != ABSENT) {
            if ((int) (slots[slot] >>> 32) == hash && pool.equals((int) slots[slot], bytes, from, to)) {
                return (int) slots[slot];
            }
            slot = slot + 1 & mask;
        }
        return ABSENT;
    }
}

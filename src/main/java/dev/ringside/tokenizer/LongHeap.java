package dev.ringside.tokenizer;

import java.util.Arrays;

/** Min-heap of longs, four children to a node: half as deep as a binary one, and the children share a cache line. */
final class LongHeap {

    private long[] entries;
    private int size;

    LongHeap(int capacity) {
        this.entries = new long[Math.max(64, capacity)];
    }

    boolean isEmpty() {
        return size == 0;
    }

    void clear() {
        size = 0;
    }

    void add(long entry) {
        if (size == entries.length) {
            entries = Arrays.copyOf(entries, size * 2);
        }
        int hole = size++;
        while (hole > 0 && entries[hole - 1 >>> 2] > entry) {
            entries[hole] = entries[hole - 1 >>> 2];
            hole = hole - 1 >>> 2;
        }
        entries[hole] = entry;
    }

    long removeLeast() {
        long least = entries[0];
        long last = entries[--size];
        int hole = 0;
        for (int first = 1; first < size; first = 4 * hole + 1) {
            int child = first;
            for (int other = first + 1; other < Math.min(first + 4, size); other++) {
                child = entries[other] < entries[child] ? other : child;
            }
            if (entries[child] >= last) {
                break;
            }
            entries[hole] = entries[child];
            hole = child;
        }
        entries[hole] = last;
        return least;
    }
}

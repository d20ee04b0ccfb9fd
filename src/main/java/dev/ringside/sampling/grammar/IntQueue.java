package dev.ringside.sampling.grammar;

import java.util.Arrays;

/** A last-in, first-out list of numbers, each of which enters at most once. */
final class IntQueue {

    private final boolean[] seen;
    private int[] values = new int[64];
    private int size;

    IntQueue(int bound) {
        seen = new boolean[bound];
    }

    void add(int value) {
        if (!seen[value]) {
            seen[value] = true;
            if (size == values.length) {
                values = Arrays.copyOf(values, 2 * size);
            }
            values[size++] = value;
        }
    }

    boolean isEmpty() {
        return size == 0;
    }

    int remove() {
        return values[--size];
    }

    /** Whether the value has ever been added. */
    boolean seen(int value) {
        return seen[value];
    }
}

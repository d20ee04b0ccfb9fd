package dev.ringside.tokenizer;

import java.util.Arrays;

/** A growing list of ints. */
final class IntList {

    private int[] values;
    private int size;

    IntList(int capacity) {
        this.values = new int[Math.max(8, capacity)];
    }

    void add(int value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, size * 2);
        }
        values[size++] = value;
    }

    int[] toArray() {
        return Arrays.copyOf(values, size);
    }
}

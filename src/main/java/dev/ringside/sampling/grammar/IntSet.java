package dev.ringside.sampling.grammar;

import java.util.Arrays;

/** A set of numbers in the order in which they came. */
final class IntSet {

    private int[] values = new int[8];
    private int[] table = new int[16];
    private int size;

    /** Whether the number is new. */
    boolean add(int value) {
        int at = place(value);
        if (table[at] != 0) {
            return false;
        }
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
            table = new int[4 * size];
            for (int i = 0; i < size; i++) {
                table[place(values[i])] = i + 1;
            }
            at = place(value);
        }
        values[size++] = value;
        table[at] = size;
        return true;
    }

    private int place(int value) {
        int at = value * 0x9E3779B9 >>> 7 & table.length - 1;
        while (table[at] != 0 && values[table[at] - 1] != value) {
            at = at + 1 & table.length - 1;
        }
        return at;
    }

    int size() {
        return size;
    }

    int get(int index) {
        return values[index];
    }
}

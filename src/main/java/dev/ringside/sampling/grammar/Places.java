package dev.ringside.sampling.grammar;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A set of (key, stack) pairs in the order in which they came, emptied for each step. */
final class Places {

    private long[] keys = new long[32];
    private @Nullable Stack[] stacks = new @Nullable Stack[32];
    private int[] table = new int[64];
    private int size;

    void clear() {
        if (size > 0) {
            Arrays.fill(table, 0);
            Arrays.fill(stacks, 0, size, null);
            size = 0;
        }
    }

    void add(long key, Stack stack) {
        int at = place(key, stack);
        if (table[at] > 0) {
            return;
        }
        if (2 * size >= table.length - 2) {
            grow();
            at = place(key, stack);
        }
        keys[size] = key;
        stacks[size++] = stack;
        table[at] = size;
    }

    private void grow() {
        keys = Arrays.copyOf(keys, 2 * keys.length);
        stacks = Arrays.copyOf(stacks, 2 * stacks.length);
        table = new int[2 * table.length];
        for (int i = 0; i < size; i++) {
            table[place(keys[i], stack(i))] = i + 1;
        }
    }

    private int place(long key, Stack stack) {
        int hash = (int) ((key ^ key >>> 29) * 0x9E3779B97F4A7C15L >>> 32) ^ Long.hashCode(stack.id) * 0x85EBCA6B;
        int at = (hash ^ hash >>> 15) & table.length - 1;
        while (table[at] > 0 && (keys[table[at] - 1] != key || stacks[table[at] - 1] != stack)) {
            at = at + 1 & table.length - 1;
        }
        return at;
    }

    int size() {
        return size;
    }

    long key(int index) {
        return keys[index];
    }

    Stack stack(int index) {
        return Objects.requireNonNull(stacks[index]);
    }
}

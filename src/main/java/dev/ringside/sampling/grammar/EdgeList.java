package dev.ringside.sampling.grammar;

import java.util.Arrays;
import java.util.function.IntPredicate;

/** Edges in the order in which they were added. */
final class EdgeList {

    private int[] from = new int[16];
    private int[] first = new int[16];
    private int[] second = new int[16];
    private int[] target = new int[16];
    private int size;

    void add(int leaves, int a, int b, int enters) {
        if (size == from.length) {
            from = Arrays.copyOf(from, 2 * size);
            first = Arrays.copyOf(first, 2 * size);
            second = Arrays.copyOf(second, 2 * size);
            target = Arrays.copyOf(target, 2 * size);
        }
        from[size] = leaves;
        first[size] = a;
        second[size] = b;
        target[size++] = enters;
    }

    int size() {
        return size;
    }

    int from(int edge) {
        return from[edge];
    }

    int first(int edge) {
        return first[edge];
    }

    int target(int edge) {
        return target[edge];
    }

    /** Edges by the state they leave; {@code kept} is asked for the index of each. */
    EdgeTable byFrom(int states, IntPredicate kept) {
        return grouped(from, target, states, kept);
    }

    /** Edges by the state they enter: {@code target} of the table holds where they come from. */
    EdgeTable byTarget(int states) {
        return grouped(target, from, states, edge -> true);
    }

    private EdgeTable grouped(int[] key, int[] other, int states, IntPredicate kept) {
        int[] start = new int[states + 1];
        for (int i = 0; i < size; i++) {
            if (kept.test(i)) {
                start[key[i] + 1]++;
            }
        }
        for (int q = 0; q < states; q++) {
            start[q + 1] += start[q];
        }
        int[] next = Arrays.copyOf(start, states);
        int[] a = new int[start[states]];
        int[] b = new int[start[states]];
        int[] end = new int[start[states]];
        for (int i = 0; i < size; i++) {
            if (kept.test(i)) {
                int at = next[key[i]]++;
                a[at] = first[i];
                b[at] = second[i];
                end[at] = other[i];
            }
        }
        return new EdgeTable(start, a, b, end);
    }
}

package dev.ringside.sampling.grammar;

/**
 * Edges grouped by the state that they leave: those of state {@code q} are the indexes {@code start[q]} to {@code start[q + 1]}, exclusive. What
 * {@code first} and {@code second} say depends on the kind of edge.
 */
record EdgeTable(int[] start, int[] first, int[] second, int[] target) {

    boolean any(int state) {
        return start[state] < start[state + 1];
    }
}

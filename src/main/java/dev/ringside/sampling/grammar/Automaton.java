package dev.ringside.sampling.grammar;

/**
 * A compiled grammar. States of all rules are numbered together; each rule has a start that nothing enters and an end that nothing leaves.
 * Calls of rules that may be empty also have an empty edge, and entering a rule never ends it at the same place, so that the simulation need not
 * tell empty calls apart. Every state can reach the end of its rule.
 *
 * @param states number of states
 * @param bytes edges for a byte: {@code first} to {@code second}, both included
 * @param empty edges that need no byte
 * @param calls edges that run rule {@code first} and then go on at their target
 * @param tokens edges for control token {@code first}
 * @param strings at most one edge per state: the rest of a JSON string of {@code first} to {@code second} code points with its closing quote
 * @param otherControls per state: {@link #NO_CONTROLS}, or the one control token that does not lead back to the state itself (-1: all do)
 * @param ruleStart start of each rule
 * @param end whether a state is the end of its rule
 * @param rank position of each rule in an order in which a rule comes before those it may call without having read a byte
 * @param matchesEmpty whether the empty text fits the grammar (rule 0)
 */
record Automaton(int states, EdgeTable bytes, EdgeTable empty, EdgeTable calls, EdgeTable tokens, EdgeTable strings, int[] otherControls,
        int[] ruleStart, boolean[] end, int[] rank, boolean matchesEmpty) {

    static final int NO_CONTROLS = -2;

    /** Whether a state waits for something, rather than only leading to others that do. */
    boolean waits(int state) {
        return bytes.any(state) || strings.any(state) || tokens.any(state) || otherControls[state] != NO_CONTROLS;
    }

    /** Number of different bytes that lead on from a state, counted with repetition. */
    int width(int state) {
        int width = 0;
        for (int i = bytes.start()[state]; i < bytes.start()[state + 1]; i++) {
            width += bytes.second()[i] - bytes.first()[i] + 1;
        }
        return width;
    }
}

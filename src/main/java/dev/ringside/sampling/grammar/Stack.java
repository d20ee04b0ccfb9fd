package dev.ringside.sampling.grammar;

import java.util.Arrays;

/**
 * All the ways in which a rule has been entered at one place: for each the state to go on with when the rule ends, and the stack that holds then.
 * Immutable. Equal when the pairs are; stacks below are compared by identity, which interning makes the same thing.
 */
final class Stack {

    /** Below the grammar itself. */
    static final Stack BOTTOM = new Stack(-1, new int[0], new Stack[0], 0);

    final int rule;
    final int[] returns;
    final Stack[] below;
    /** Gives stacks an order; unique within a simulation. */
    final long id;
    private final int hash;

    Stack(int rule, int[] returns, Stack[] below, long id) {
        this.rule = rule;
        this.returns = returns;
        this.below = below;
        this.id = id;
        int h = 31 * rule + Arrays.hashCode(returns);
        for (Stack stack : below) {
            h = 31 * h + Long.hashCode(stack.id);
        }
        hash = h;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Stack that) || rule != that.rule || !Arrays.equals(returns, that.returns)) {
            return false;
        }
        for (int i = 0; i < below.length; i++) {
            if (below[i] != that.below[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        return hash;
    }
}

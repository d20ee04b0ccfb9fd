package dev.ringside.sampling.grammar;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where a text may stand in a grammar: pairs of an automaton state that waits for something and a stack, and whether the text may end here.
 * The pairs never change. The rest is memory of what was worked out before; a thread that misses what another has just put in works it out
 * again with the same result.
 */
final class State {

    static final State DEAD = new State(new long[0], new Stack[0], false);

    private static final int PAGE = 16;

    /** Automaton state in the upper half; in the lower how far a JSON string is, else 0. Ascending, by stack where equal. */
    final long[] keys;
    final Stack[] stacks;
    final boolean complete;
    private final int hash;
    private final @Nullable State[] @Nullable [] next = new State[256 / PAGE][];

    @Nullable
    Mask mask;
    boolean recentlyUsed;

    State(long[] keys, Stack[] stacks, boolean complete) {
        this.keys = keys;
        this.stacks = stacks;
        this.complete = complete;
        int h = Arrays.hashCode(keys) * 31 + Boolean.hashCode(complete);
        for (Stack stack : stacks) {
            h = 31 * h + Long.hashCode(stack.id);
        }
        hash = h;
    }

    boolean isDead() {
        return keys.length == 0 && !complete;
    }

    /** The state after a byte if that is known already. */
    @Nullable
    State known(int b) {
        @Nullable State[] page = next[b / PAGE];
        return page == null ? null : page[b % PAGE];
    }

    void remember(int b, State state) {
        @Nullable State[] page = next[b / PAGE];
        if (page == null) {
            page = new State[PAGE];
            next[b / PAGE] = page;
        }
        page[b % PAGE] = state;
    }

    void forget() {
        Arrays.fill(next, null);
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof State that) || complete != that.complete || !Arrays.equals(keys, that.keys)) {
            return false;
        }
        for (int i = 0; i < stacks.length; i++) {
            if (stacks[i] != that.stacks[i]) {
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

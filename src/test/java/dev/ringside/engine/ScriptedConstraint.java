package dev.ringside.engine;

import dev.ringside.sampling.TokenConstraint;
import java.util.Arrays;

/** Allows one token after the other, then the last of the vocabulary, which is the end token. */
final class ScriptedConstraint implements TokenConstraint {

    private final int[] script;
    private final int end;
    private final long[] bits;
    private int accepted;
    private int failure = -1;

    ScriptedConstraint(int vocabulary, int... script) {
        this.script = script.clone();
        this.end = vocabulary - 1;
        this.bits = new long[(vocabulary + 63) / 64];
    }

    /** Fails when asked behind so many tokens. */
    void failAt(int tokens) {
        failure = tokens;
    }

    private int next() {
        if (accepted == failure) {
            throw new IllegalStateException("a fault of the constraint");
        }
        return accepted < script.length ? script[accepted] : end;
    }

    @Override
    public boolean restricts() {
        return true;
    }

    @Override
    public long[] allowed() {
        Arrays.fill(bits, 0);
        int next = next();
        bits[next >> 6] |= 1L << next;
        return bits;
    }

    @Override
    public boolean allows(int token) {
        return token == next();
    }

    @Override
    public void accept(int token) {
        if (!allows(token)) {
            throw new IllegalArgumentException("Token " + token + " is not allowed");
        }
        accepted++;
    }

    @Override
    public int accepted() {
        return accepted;
    }

    @Override
    public void rewind(int count) {
        accepted = count;
    }
}

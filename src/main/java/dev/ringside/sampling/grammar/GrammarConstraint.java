package dev.ringside.sampling.grammar;

import dev.ringside.sampling.TokenConstraint;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Follows one generation through a grammar and remembers the state behind each token, so that going back costs nothing. */
final class GrammarConstraint implements TokenConstraint {

    private final CompiledGrammar grammar;
    private @Nullable State[] history = new @Nullable State[64];
    private State state;
    private int accepted;

    GrammarConstraint(CompiledGrammar grammar, State start) {
        this.grammar = grammar;
        state = start;
        history[0] = start;
    }

    @Override
    public boolean restricts() {
        return !grammar.mask(state).full();
    }

    /**
     * @throws DeadEndException when no token fits
     * @throws TooAmbiguousException when it would take too long to find out
     */
    @Override
    public long[] allowed() {
        Mask mask = grammar.mask(state);
        if (mask.empty()) {
            throw new DeadEndException("no token of the vocabulary can come after the " + accepted + " tokens so far; it lacks "
                    + (state.complete ? "a token that ends the generation" : "a single-byte token that the grammar needs"));
        }
        return mask.words();
    }

    @Override
    public boolean allows(int token) {
        return inVocabulary(token) && !grammar.next(state, token).isDead();
    }

    @Override
    public void accept(int token) {
        if (!inVocabulary(token)) {
            throw new IllegalArgumentException("token " + token + " is not in the vocabulary of " + grammar.vocabulary.size());
        }
        State next = grammar.next(state, token);
        if (next.isDead()) {
            throw new IllegalArgumentException("token " + token + " doesn't fit the grammar after the " + accepted + " tokens so far");
        }
        accepted++;
        if (accepted == history.length) {
            history = Arrays.copyOf(history, 2 * accepted);
        }
        history[accepted] = next;
        state = next;
    }

    private boolean inVocabulary(int token) {
        return token >= 0 && token < grammar.vocabulary.size();
    }

    @Override
    public int accepted() {
        return accepted;
    }

    @Override
    public void rewind(int to) {
        State there = to < 0 || to > accepted ? null : history[to];
        if (there == null) {
            throw new IllegalArgumentException("can't go back to " + to + " of " + accepted + " accepted tokens");
        }
        Arrays.fill(history, to + 1, accepted + 1, null);
        accepted = to;
        state = there;
    }
}

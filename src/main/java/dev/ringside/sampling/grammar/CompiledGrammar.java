package dev.ringside.sampling.grammar;

import dev.ringside.sampling.TokenConstraint;

/**
 * A grammar made ready for a vocabulary. Gives any number of constraints, which share what they find out about masks; safe for use by many
 * threads, though meant for one engine thread. Holds at most {@value #MAX_MASKS} masks of one bit per token and {@value #MAX_STATES} states.
 */
public final class CompiledGrammar {

    static final int MAX_MASKS = 128;
    static final int MAX_STATES = 8_192;

    final VocabularyIndex vocabulary;
    private final Simulation simulation;
    private final MaskBuilder masks;
    private final MaskMemory memory;
    private final State start;

    CompiledGrammar(Expr grammar, VocabularyIndex vocabulary) {
        this.vocabulary = vocabulary;
        simulation = new Simulation(AutomatonBuilder.build(grammar, vocabulary.controls), MAX_STATES);
        masks = new MaskBuilder(simulation, vocabulary);
        memory = new MaskMemory(MAX_MASKS);
        try {
            start = simulation.start();
            // On the thread of the request, so that the engine finds it ready and what is hopeless is refused early.
            mask(start);
        } catch (TooAmbiguousException e) {
            throw new GrammarException(String.valueOf(e.getMessage()));
        }
    }

    /** A constraint at the beginning of a generation. */
    public TokenConstraint newConstraint() {
        return new GrammarConstraint(this, start);
    }

    /** The state after a token; dead when it doesn't fit. */
    State next(State state, int token) {
        if (vocabulary.ends(token)) {
            return state.complete ? state : State.DEAD;
        }
        if (vocabulary.control(token)) {
            return simulation.nextControl(state, token);
        }
        int length = vocabulary.trie.length(token);
        State next = state;
        for (int i = 0; i < length && next != State.DEAD; i++) {
            next = simulation.next(next, vocabulary.trie.byteAt(token, i));
        }
        return next;
    }

    Mask mask(State state) {
        Mask known = state.mask;
        if (known == null) {
            known = buildMask(state);
        }
        if (!state.recentlyUsed) {
            state.recentlyUsed = true;
        }
        return known;
    }

    private synchronized Mask buildMask(State state) {
        Mask known = state.mask;
        if (known == null) {
            known = masks.build(state);
            memory.keep(state, known);
        }
        return known;
    }

    int knownStates() {
        return simulation.known();
    }

    synchronized int knownMasks() {
        return memory.size();
    }
}

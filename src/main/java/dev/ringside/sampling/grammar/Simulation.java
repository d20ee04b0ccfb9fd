package dev.ringside.sampling.grammar;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs an automaton with its stacks. States and stacks are interned up to a limit; then everything known is dropped and found anew, which loses
 * time but nothing else. Guarded by its own lock where it computes; what states remember is read without.
 */
final class Simulation {

    /** Places of one state at most. */
    static final int MAX_PLACES = 10_000;
    /** Places of all states that are known, per state that may be. */
    private static final int PLACES_PER_STATE = 16;
    private static final int STRING_BITS = 5;

    private final Automaton automaton;
    private final int maxKnown;
    private final Map<State, State> states = new HashMap<>();
    private final Map<Stack, Stack> stacks = new HashMap<>();
    private long nextId = 1;
    private long knownPlaces;
    private long work;

    private final Places places = new Places();
    private final BitSet calledRanks = new BitSet();
    private final int[] ruleAtRank;
    private final @Nullable Places[] entries;
    private boolean complete;

    /** @param maxKnown states, and stacks, kept at most */
    Simulation(Automaton automaton, int maxKnown) {
        this.automaton = automaton;
        this.maxKnown = maxKnown;
        int rules = automaton.rank().length;
        ruleAtRank = new int[rules];
        for (int r = 0; r < rules; r++) {
            ruleAtRank[automaton.rank()[r]] = r;
        }
        entries = new @Nullable Places[rules];
    }

    Automaton automaton() {
        return automaton;
    }

    static long key(int state, int progress) {
        return (long) state << 32 | progress;
    }

    static int state(long key) {
        return (int) (key >>> 32);
    }

    /** State of {@link JsonString} in a key. */
    static int stringState(long key) {
        return (int) key & (1 << STRING_BITS) - 1;
    }

    /** Characters begun in a JSON string, no more than matter: up to the maximum if there is one, else to the minimum. */
    static int stringCharacters(long key) {
        return (int) key >>> STRING_BITS;
    }

    synchronized State start() {
        begin();
        enter(0, -1, Stack.BOTTOM);
        complete = automaton.matchesEmpty();
        return finish();
    }

    /** The state after a byte; {@link State#isDead} when it doesn't fit. */
    State next(State state, int b) {
        if (state.keys.length == 0) {
            return State.DEAD;
        }
        State known = state.known(b);
        return known != null ? known : compute(state, b);
    }

    private synchronized State compute(State state, int b) {
        begin();
        EdgeTable bytes = automaton.bytes();
        for (int i = 0; i < state.keys.length; i++) {
            int q = state(state.keys[i]);
            for (int e = bytes.start()[q]; e < bytes.start()[q + 1]; e++) {
                if (b >= bytes.first()[e] && b <= bytes.second()[e]) {
                    places.add(key(bytes.target()[e], 0), state.stacks[i]);
                }
            }
            if (automaton.strings().any(q)) {
                stepString(state.keys[i], automaton.strings().start()[q], b, state.stacks[i]);
            }
        }
        State next = finish();
        state.remember(b, next);
        return next;
    }

    private void stepString(long key, int edge, int b, Stack stack) {
        int min = automaton.strings().first()[edge];
        int max = automaton.strings().second()[edge];
        int from = stringState(key);
        int characters = stringCharacters(key);
        if (from == JsonString.BOUNDARY && b == '"') {
            if (characters >= min) {
                places.add(key(automaton.strings().target()[edge], 0), stack);
            }
            return;
        }
        int to = JsonString.next(from, b);
        if (to == JsonString.DEAD) {
            return;
        }
        if (from == JsonString.BOUNDARY) {
            if (characters == max) {
                return;
            }
            characters = max == Expr.UNBOUNDED ? Math.min(characters + 1, min) : characters + 1;
        }
        places.add(key(state(key), characters << STRING_BITS | to), stack);
    }

    /** The state after a control token; {@link State#isDead} when it doesn't fit. */
    synchronized State nextControl(State state, int token) {
        begin();
        EdgeTable tokens = automaton.tokens();
        for (int i = 0; i < state.keys.length; i++) {
            int q = state(state.keys[i]);
            for (int e = tokens.start()[q]; e < tokens.start()[q + 1]; e++) {
                if (tokens.first()[e] == token) {
                    places.add(key(tokens.target()[e], 0), state.stacks[i]);
                }
            }
            if (passesControl(q, token)) {
                places.add(state.keys[i], state.stacks[i]);
            }
        }
        return finish();
    }

    boolean passesControl(int q, int token) {
        int except = automaton.otherControls()[q];
        return except != Automaton.NO_CONTROLS && except != token;
    }

    /** The state in which one automaton state is reached with a stack. */
    synchronized State at(int q, Stack stack) {
        begin();
        places.add(key(q, 0), stack);
        return finish();
    }

    /** The state behind the end of the rule that a stack stands for; dead for the grammar itself. */
    synchronized State behind(Stack stack) {
        begin();
        for (int i = 0; i < stack.returns.length; i++) {
            places.add(key(stack.returns[i], 0), stack.below[i]);
        }
        return finish();
    }

    /** Some pairs of a state. */
    synchronized State part(long[] keys, Stack[] partStacks) {
        return intern(new State(keys, partStacks, false));
    }

    private void begin() {
        // Empty, unless the step before ended in an exception.
        for (int rank = calledRanks.nextSetBit(0); rank >= 0; rank = calledRanks.nextSetBit(rank + 1)) {
            entries(ruleAtRank[rank]).clear();
        }
        calledRanks.clear();
        places.clear();
        complete = false;
    }

    /** How much has been computed: grows by one for each place of each new state. */
    synchronized long work() {
        return work;
    }

    /** Follows ends of rules, empty edges and calls from the places that were added, and interns the result. */
    private State finish() {
        int at = 0;
        while (at < places.size()) {
            leaveAndFollow(places.key(at), places.stack(at));
            at++;
            requireFew();
        }
        for (int rank = calledRanks.nextSetBit(0); rank >= 0; rank = calledRanks.nextSetBit(rank + 1)) {
            int rule = ruleAtRank[rank];
            Places called = entries(rule);
            Stack stack = StackOrder.stack(rule, called, nextId);
            Stack known = stacks.putIfAbsent(stack, stack);
            if (known == null) {
                nextId++;
                known = stack;
            }
            called.clear();
            places.add(key(automaton.ruleStart()[rule], 0), known);
            for (; at < places.size(); at++) {
                follow(state(places.key(at)), places.stack(at));
                requireFew();
            }
        }
        calledRanks.clear();
        work += 1 + places.size();
        return intern(StackOrder.state(automaton, places, complete));
    }

    private void requireFew() {
        if (places.size() > MAX_PLACES) {
            throw new TooAmbiguousException("the grammar leaves more than " + MAX_PLACES
                    + " ways open at one place; rewrite nested repetitions and optional parts of its patterns");
        }
    }

    private State intern(State state) {
        if (state.isDead()) {
            return State.DEAD;
        }
        State known = states.putIfAbsent(state, state);
        if (known != null) {
            return known;
        }
        knownPlaces += state.keys.length;
        if (states.size() > maxKnown || stacks.size() > maxKnown || knownPlaces > (long) PLACES_PER_STATE * maxKnown) {
            states.keySet().forEach(State::forget);
            states.clear();
            stacks.clear();
            knownPlaces = 0;
        }
        return state;
    }

    private void leaveAndFollow(long key, Stack stack) {
        int q = state(key);
        if (automaton.end()[q]) {
            if (stack.returns.length == 0) {
                complete = true;
            }
            for (int i = 0; i < stack.returns.length; i++) {
                places.add(key(stack.returns[i], 0), stack.below[i]);
            }
        }
        follow(q, stack);
    }

    private void follow(int q, Stack stack) {
        EdgeTable empty = automaton.empty();
        for (int e = empty.start()[q]; e < empty.start()[q + 1]; e++) {
            places.add(key(empty.target()[e], 0), stack);
        }
        EdgeTable calls = automaton.calls();
        for (int e = calls.start()[q]; e < calls.start()[q + 1]; e++) {
            enter(calls.first()[e], calls.target()[e], stack);
        }
    }

    private void enter(int rule, int returnTo, Stack stack) {
        calledRanks.set(automaton.rank()[rule]);
        if (returnTo >= 0) {
            entries(rule).add(key(returnTo, 0), stack);
        }
    }

    private Places entries(int rule) {
        Places known = entries[rule];
        if (known == null) {
            known = new Places();
            entries[rule] = known;
        }
        return known;
    }

    /** States known now. */
    synchronized int known() {
        return states.size();
    }
}

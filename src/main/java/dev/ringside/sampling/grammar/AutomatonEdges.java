package dev.ringside.sampling.grammar;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** States and edges of an automaton while it is built, with limits on both. */
final class AutomatonEdges {

    static final int MAX_STATES = 200_000;
    static final int MAX_EDGES = 600_000;

    /** Two states that a rule has from its first mention on. */
    record RuleStates(String name, int start, int end) {}

    final EdgeList bytes = new EdgeList();
    final EdgeList empty = new EdgeList();
    final EdgeList calls = new EdgeList();
    final EdgeList tokens = new EdgeList();
    final EdgeList strings = new EdgeList();
    final List<RuleStates> rules = new ArrayList<>();
    private int[] otherControls = new int[64];
    private int states;

    int states() {
        return states;
    }

    int newState() {
        if (states == MAX_STATES) {
            throw new GrammarException("the grammar is too large: it needs more than " + MAX_STATES
                    + " states; lower repetition counts and lengths, or split it up");
        }
        if (states == otherControls.length) {
            otherControls = Arrays.copyOf(otherControls, 2 * states);
        }
        otherControls[states] = Automaton.NO_CONTROLS;
        return states++;
    }

    /** Lets all control tokens but one ({@code -1}: all) lead from a state to itself. */
    void passControls(int state, int except) {
        otherControls[state] = except;
    }

    void addByte(int from, int low, int high, int to) {
        bytes.add(from, low, high, to);
        if (bytes.size() > MAX_EDGES) {
            throw new GrammarException("the grammar is too large: it needs more than " + MAX_EDGES + " edges");
        }
    }

    void addEmpty(int from, int to) {
        empty.add(from, 0, 0, to);
    }

    int addRule(String name) {
        rules.add(new RuleStates(name, newState(), newState()));
        return rules.size() - 1;
    }

    /** Cuts out what never ends, orders the rules and freezes the whole; rule 0 is the grammar. */
    Automaton finish() {
        AutomatonAnalysis analysis = new AutomatonAnalysis(this);
        boolean[] nullable = analysis.nullable();
        for (int i = 0; i < calls.size(); i++) {
            if (nullable[calls.first(i)]) {
                addEmpty(calls.from(i), calls.target(i));
            }
        }
        boolean[] ending = analysis.ending();
        if (!ending[rules.getFirst().start()]) {
            throw new GrammarException("no finite text fits");
        }
        EdgeTable keptEmpty = empty.byFrom(states, e -> ending[empty.target(e)]);
        EdgeTable keptCalls = calls.byFrom(states, e -> ending[calls.target(e)] && ending[rules.get(calls.first(e)).start()]);
        boolean[] end = new boolean[states];
        rules.forEach(rule -> end[rule.end()] = true);
        return new Automaton(states, bytes.byFrom(states, e -> ending[bytes.target(e)]), keptEmpty, keptCalls,
                tokens.byFrom(states, e -> ending[tokens.target(e)]), strings.byFrom(states, e -> ending[strings.target(e)]),
                Arrays.copyOf(otherControls, states), rules.stream().mapToInt(RuleStates::start).toArray(), end,
                analysis.ranks(keptEmpty, keptCalls), nullable[0]);
    }
}

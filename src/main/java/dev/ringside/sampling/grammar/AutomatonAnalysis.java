package dev.ringside.sampling.grammar;

import java.util.Arrays;
import java.util.List;

/** What has to be known of the states of a new automaton: which rules may be empty, which states lead to an end, which rule calls which first. */
final class AutomatonAnalysis {

    private final AutomatonEdges edges;
    private final List<AutomatonEdges.RuleStates> rules;
    private final int[] ruleOfStart;
    private final int[] ruleOfEnd;

    AutomatonAnalysis(AutomatonEdges edges) {
        this.edges = edges;
        rules = edges.rules;
        ruleOfStart = new int[edges.states()];
        ruleOfEnd = new int[edges.states()];
        Arrays.fill(ruleOfStart, -1);
        Arrays.fill(ruleOfEnd, -1);
        for (int r = 0; r < rules.size(); r++) {
            ruleOfStart[rules.get(r).start()] = r;
            ruleOfEnd[rules.get(r).end()] = r;
        }
    }

    /** Rules that fit the empty text. */
    boolean[] nullable() {
        EdgeTable empty = edges.empty.byFrom(edges.states(), e -> true);
        EdgeTable calls = edges.calls.byFrom(edges.states(), e -> true);
        EdgeList[] callers = callers();
        boolean[] nullable = new boolean[rules.size()];
        IntQueue reached = new IntQueue(edges.states());
        rules.forEach(rule -> reached.add(rule.start()));
        while (!reached.isEmpty()) {
            int state = reached.remove();
            for (int i = empty.start()[state]; i < empty.start()[state + 1]; i++) {
                reached.add(empty.target()[i]);
            }
            for (int i = calls.start()[state]; i < calls.start()[state + 1]; i++) {
                if (nullable[calls.first()[i]]) {
                    reached.add(calls.target()[i]);
                }
            }
            int rule = ruleOfEnd[state];
            if (rule >= 0) {
                nullable[rule] = true;
                for (int i = 0; i < callers[rule].size(); i++) {
                    if (reached.seen(callers[rule].from(i))) {
                        reached.add(callers[rule].target(i));
                    }
                }
            }
        }
        return nullable;
    }

    /** States from which the end of their rule can be reached with a finite text. */
    boolean[] ending() {
        int states = edges.states();
        EdgeTable[] back = {edges.bytes.byTarget(states), edges.empty.byTarget(states), edges.tokens.byTarget(states),
            edges.strings.byTarget(states)};
        EdgeTable calls = edges.calls.byTarget(states);
        EdgeList[] callers = callers();
        IntQueue ending = new IntQueue(states);
        rules.forEach(rule -> ending.add(rule.end()));
        while (!ending.isEmpty()) {
            int state = ending.remove();
            for (EdgeTable table : back) {
                for (int i = table.start()[state]; i < table.start()[state + 1]; i++) {
                    ending.add(table.target()[i]);
                }
            }
            for (int i = calls.start()[state]; i < calls.start()[state + 1]; i++) {
                if (ending.seen(rules.get(calls.first()[i]).start())) {
                    ending.add(calls.target()[i]);
                }
            }
            int rule = ruleOfStart[state];
            if (rule >= 0) {
                for (int i = 0; i < callers[rule].size(); i++) {
                    if (ending.seen(callers[rule].target(i))) {
                        ending.add(callers[rule].from(i));
                    }
                }
            }
        }
        boolean[] result = new boolean[states];
        for (int q = 0; q < states; q++) {
            result[q] = ending.seen(q);
        }
        return result;
    }

    private EdgeList[] callers() {
        EdgeList[] callers = new EdgeList[rules.size()];
        Arrays.setAll(callers, r -> new EdgeList());
        for (int i = 0; i < edges.calls.size(); i++) {
            callers[edges.calls.first(i)].add(edges.calls.from(i), 0, 0, edges.calls.target(i));
        }
        return callers;
    }

    /**
     * An order in which each rule comes before those it may call without having read a byte.
     *
     * @throws GrammarException when there is none
     */
    int[] ranks(EdgeTable empty, EdgeTable calls) {
        EdgeList first = firstCalls(empty, calls);
        EdgeTable callees = first.byFrom(rules.size(), e -> true);
        int[] waiting = new int[rules.size()];
        for (int i = 0; i < first.size(); i++) {
            waiting[first.target(i)]++;
        }
        int[] order = new int[rules.size()];
        int known = 0;
        for (int r = 0; r < rules.size(); r++) {
            if (waiting[r] == 0) {
                order[known++] = r;
            }
        }
        int[] rank = new int[rules.size()];
        for (int at = 0; at < known; at++) {
            int rule = order[at];
            rank[rule] = at;
            for (int i = callees.start()[rule]; i < callees.start()[rule + 1]; i++) {
                if (--waiting[callees.target()[i]] == 0) {
                    order[known++] = callees.target()[i];
                }
            }
        }
        if (known < rules.size()) {
            for (int r = 0; r < rules.size(); r++) {
                if (waiting[r] > 0) {
                    throw new GrammarException(
                            "rule " + rules.get(r).name() + " refers to itself, or to a rule that does, before any character");
                }
            }
        }
        return rank;
    }

    private EdgeList firstCalls(EdgeTable empty, EdgeTable calls) {
        EdgeList first = new EdgeList();
        for (int r = 0; r < rules.size(); r++) {
            // Rules are small next to the automaton, so a set per rule, not a field of flags.
            IntSet seen = new IntSet();
            seen.add(rules.get(r).start());
            for (int at = 0; at < seen.size(); at++) {
                int state = seen.get(at);
                for (int i = empty.start()[state]; i < empty.start()[state + 1]; i++) {
                    seen.add(empty.target()[i]);
                }
                for (int i = calls.start()[state]; i < calls.start()[state + 1]; i++) {
                    first.add(r, 0, 0, calls.first()[i]);
                }
            }
        }
        return first;
    }
}

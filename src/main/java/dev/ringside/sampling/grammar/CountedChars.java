package dev.ringside.sampling.grammar;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A pattern whose characters are counted: the product of an automaton over characters with a counter. */
final class CountedChars {

    private CountedChars() {}

    /** Edges over characters, and empty ones where {@code chars} is null. */
    private static final class Chars {

        private final List<List<Edge>> edges = new ArrayList<>();

        private record Edge(Expr.@Nullable Chars chars, int to) {}

        int newState() {
            edges.add(new ArrayList<>());
            if (edges.size() > AutomatonEdges.MAX_STATES) {
                throw new GrammarException("the grammar is too large: a pattern needs more than " + AutomatonEdges.MAX_STATES + " states");
            }
            return edges.size() - 1;
        }

        void empty(int from, int to) {
            edges.get(from).add(new Edge(null, to));
        }

        int add(Expr expr, int from) {
            return switch (expr) {
                case Expr.Chars chars -> {
                    int to = newState();
                    edges.get(from).add(new Edge(chars, to));
                    yield to;
                }
                case Expr.Sequence sequence -> {
                    int at = from;
                    for (Expr part : sequence.parts()) {
                        at = add(part, at);
                    }
                    yield at;
                }
                case Expr.Choice choice -> {
                    int to = newState();
                    for (Expr part : choice.parts()) {
                        empty(add(part, from), to);
                    }
                    yield to;
                }
                case Expr.Repeat repeat -> repeat(repeat, from);
                default -> throw new IllegalArgumentException(expr.getClass() + " is not made of characters");
            };
        }

        private int repeat(Expr.Repeat repeat, int from) {
            int at = from;
            for (int i = 0; i < repeat.min(); i++) {
                at = add(repeat.body(), at);
            }
            int to = newState();
            if (repeat.max() == Expr.UNBOUNDED) {
                int loop = newState();
                empty(at, loop);
                empty(add(repeat.body(), loop), loop);
                empty(loop, to);
                return to;
            }
            for (int i = repeat.min(); i < repeat.max(); i++) {
                empty(at, to);
                at = add(repeat.body(), at);
            }
            empty(at, to);
            return to;
        }
    }

    static int add(AutomatonEdges edges, Expr.Counted counted, int from) {
        Chars chars = new Chars();
        int start = chars.newState();
        int end = chars.add(counted.body(), start);
        boolean bounded = counted.max() != Expr.UNBOUNDED;
        int most = bounded ? counted.max() : counted.min();
        Map<Long, Integer> states = new HashMap<>();
        List<Long> waiting = new ArrayList<>();
        int to = edges.newState();
        int first = edges.newState();
        edges.addEmpty(from, first);
        states.put((long) start << 32, first);
        waiting.add((long) start << 32);
        while (!waiting.isEmpty()) {
            long pair = waiting.removeLast();
            int state = (int) (pair >>> 32);
            int count = (int) pair;
            int here = Objects.requireNonNull(states.get(pair));
            if (state == end && count >= counted.min()) {
                edges.addEmpty(here, to);
            }
            for (Chars.Edge edge : chars.edges.get(state)) {
                int then = edge.chars == null ? count : bounded ? count + 1 : Math.min(count + 1, most);
                if (then > most) {
                    continue;
                }
                long next = (long) edge.to << 32 | then;
                Integer there = states.get(next);
                if (there == null) {
                    there = edges.newState();
                    states.put(next, there);
                    waiting.add(next);
                }
                if (edge.chars == null) {
                    edges.addEmpty(here, there);
                } else {
                    CharEdges.add(edges, edge.chars, here, there);
                }
            }
        }
        return to;
    }
}

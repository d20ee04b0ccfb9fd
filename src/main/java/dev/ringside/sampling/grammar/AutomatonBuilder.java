package dev.ringside.sampling.grammar;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;

/** Turns expressions into an automaton. Rules are built one after another, so that no depth of references matters. */
final class AutomatonBuilder {

    /** Parts within one rule may be nested this deep. */
    static final int MAX_DEPTH = 300;

    private final AutomatonEdges edges = new AutomatonEdges();
    private final IdentityHashMap<Expr.Rule, Integer> rules = new IdentityHashMap<>();
    private final IdentityHashMap<Expr, Expr.Rule> shared = new IdentityHashMap<>();
    private final Deque<Expr.Rule> waiting = new ArrayDeque<>();
    private final ControlTokens controls;
    private int depth;

    private AutomatonBuilder(ControlTokens controls) {
        this.controls = controls;
    }

    /** @throws GrammarException when the grammar is too large, left-recursive or fits no finite text */
    static Automaton build(Expr grammar, ControlTokens controls) {
        AutomatonBuilder builder = new AutomatonBuilder(controls);
        builder.rule(new Expr.Rule("the grammar", grammar));
        while (!builder.waiting.isEmpty()) {
            Expr.Rule rule = builder.waiting.remove();
            AutomatonEdges.RuleStates states = builder.edges.rules.get(builder.rule(rule));
            builder.edges.addEmpty(builder.add(rule.body(), states.start()), states.end());
        }
        return builder.edges.finish();
    }

    private int rule(Expr.Rule rule) {
        Integer known = rules.get(rule);
        if (known == null) {
            known = edges.addRule(rule.name());
            rules.put(rule, known);
            waiting.add(rule);
        }
        return known;
    }

    /** Adds what fits an expression behind a state and returns the state behind it. Adds no edge to {@code from}. */
    private int add(Expr expr, int from) {
        if (++depth > MAX_DEPTH) {
            throw new GrammarException("the grammar is nested more than " + MAX_DEPTH + " deep");
        }
        int to = switch (expr) {
            case Expr.Literal literal -> literal(literal.text(), from);
            case Expr.ByteRange range -> step(from, range.low(), range.high());
            case Expr.Chars chars -> chars(chars, from);
            case Expr.Sequence sequence -> sequence(sequence.parts(), from);
            case Expr.Choice choice -> choice(choice.parts(), from);
            case Expr.Repeat repeat -> repeat(repeat, from);
            case Expr.Chain chain -> chain(chain, from);
            case Expr.Members members -> members(members, from);
            case Expr.StringBody string -> string(string, from);
            case Expr.OtherKey key -> OtherKeys.add(edges, key.names(), from);
            case Expr.Counted counted -> CountedChars.add(edges, counted, from);
            case Expr.Marker marker -> marker(marker.text(), from);
            case Expr.Until until -> call(sharedRule(expr, () -> FreeText.until(edges, controls, until.marker())), from);
            case Expr.Without without -> call(sharedRule(expr, () -> FreeText.without(edges, controls, without.marker())), from);
            case Expr.Rule rule -> call(rule(rule), from);
        };
        depth--;
        return to;
    }

    private int sharedRule(Expr expr, FreeTextRule build) {
        Expr.Rule key = shared.computeIfAbsent(expr, e -> new Expr.Rule("text", e));
        Integer known = rules.get(key);
        if (known == null) {
            known = build.add();
            rules.put(key, known);
        }
        return known;
    }

    /** Adds a rule and returns its number. */
    private interface FreeTextRule {

        int add();
    }

    private int call(int rule, int from) {
        int to = edges.newState();
        edges.calls.add(from, rule, 0, to);
        return to;
    }

    private int step(int from, int low, int high) {
        int to = edges.newState();
        edges.addByte(from, low, high, to);
        return to;
    }

    private int literal(String text, int from) {
        int state = from;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            state = step(state, b & 0xFF, b & 0xFF);
        }
        return state;
    }

    private int sequence(List<Expr> parts, int from) {
        int state = from;
        for (Expr part : parts) {
            state = add(part, state);
        }
        return state;
    }

    private int choice(List<Expr> parts, int from) {
        int to = edges.newState();
        for (Expr part : parts) {
            edges.addEmpty(add(part, from), to);
        }
        return to;
    }

    private int repeat(Expr.Repeat repeat, int from) {
        Expr body = repeat.body();
        if (!small(body) && (repeat.min() > 1 || repeat.max() > 1 && repeat.max() != Expr.UNBOUNDED)) {
            body = shared.computeIfAbsent(body, e -> new Expr.Rule("a repeated part", e));
        }
        int state = from;
        for (int i = 0; i < repeat.min(); i++) {
            state = add(body, state);
        }
        if (repeat.max() == Expr.UNBOUNDED) {
            int loop = edges.newState();
            edges.addEmpty(state, loop);
            edges.addEmpty(add(body, loop), loop);
            int to = edges.newState();
            edges.addEmpty(loop, to);
            return to;
        }
        int to = edges.newState();
        for (int i = repeat.min(); i < repeat.max(); i++) {
            edges.addEmpty(state, to);
            state = add(body, state);
        }
        edges.addEmpty(state, to);
        return to;
    }

    private static boolean small(Expr expr) {
        return expr instanceof Expr.Rule || expr instanceof Expr.ByteRange
                || expr instanceof Expr.Chars chars && chars.set().rangeCount() == 1
                        && chars.set().high(0) < 0x80;
    }

    private int chain(Expr.Chain chain, int from) {
        int to = edges.newState();
        int state = from;
        for (int i = 0; i < chain.steps().size(); i++) {
            if (i >= chain.min()) {
                edges.addEmpty(state, to);
            }
            state = add(chain.steps().get(i), state);
        }
        edges.addEmpty(state, to);
        return to;
    }

    /** Two rows of states, one for "no member yet" and one for "some", joined where a member begins. */
    private int members(Expr.Members members, int from) {
        int none = edges.newState();
        edges.addEmpty(from, none);
        int some = edges.newState();
        for (Expr.Member member : members.members()) {
            int begin = edges.newState();
            edges.addEmpty(none, begin);
            edges.addEmpty(add(members.comma(), some), begin);
            int behind = edges.newState();
            edges.addEmpty(add(member.body(), begin), behind);
            int nextNone = edges.newState();
            if (!member.required()) {
                edges.addEmpty(none, nextNone);
                edges.addEmpty(some, behind);
            }
            none = nextNone;
            some = behind;
        }
        int to = edges.newState();
        edges.addEmpty(none, to);
        edges.addEmpty(some, to);
        if (members.extra() != null) {
            int begin = edges.newState();
            edges.addEmpty(none, begin);
            int behind = edges.newState();
            edges.addEmpty(add(members.extra(), begin), behind);
            edges.addEmpty(add(members.comma(), behind), begin);
            edges.addEmpty(add(members.comma(), some), begin);
            edges.addEmpty(behind, to);
        }
        return to;
    }

    private int string(Expr.StringBody string, int from) {
        int at = edges.newState();
        edges.addEmpty(from, at);
        int to = edges.newState();
        edges.strings.add(at, string.min(), string.max(), to);
        return to;
    }

    private int marker(String text, int from) {
        int[] tokens = controls.withText(text);
        if (tokens.length == 0) {
            return literal(text, from);
        }
        int to = edges.newState();
        for (int token : tokens) {
            edges.tokens.add(from, token, 0, to);
        }
        return to;
    }

    private int chars(Expr.Chars chars, int from) {
        int to = edges.newState();
        CharEdges.add(edges, chars, from, to);
        return to;
    }
}

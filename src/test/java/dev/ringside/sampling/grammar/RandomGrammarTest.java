package dev.ringside.sampling.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Compares the automaton with the plain definition of a context-free language: all its texts up to a length, found by substitution. */
class RandomGrammarTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 90_210L);
    private static final int LENGTH = 5;

    private final List<Expr.Rule> rules = new ArrayList<>();

    @Test
    void exactlyTheTextsOfTheGrammarFit() {
        int compared = 0;
        for (int i = 0; i < 400; i++) {
            Random random = new Random(SEED + i);
            rules.clear();
            for (int r = 0; r < 3; r++) {
                rules.add(new Expr.Rule("r" + r));
            }
            rules.forEach(rule -> rule.define(expr(random, 3)));
            CompiledGrammar compiled;
            try {
                compiled = Texts.overBytes(new Grammar(rules.getFirst()));
            } catch (GrammarException e) {
                continue;
            }
            compared++;
            assertThat(accepted(compiled)).as("seed %d", SEED + i).isEqualTo(language());
        }
        assertThat(compared).isGreaterThan(100);
    }

    private Expr expr(Random random, int depth) {
        return switch (random.nextInt(depth > 0 ? 10 : 4)) {
            case 0 -> Expr.literal("a");
            case 1 -> Expr.literal("b");
            case 2 -> Expr.literal("ab");
            case 3 -> random.nextBoolean() ? rules.get(random.nextInt(rules.size())) : Expr.literal("c");
            case 4 -> Expr.choice(expr(random, depth - 1), expr(random, depth - 1));
            case 5 -> Expr.choice(expr(random, depth - 1), Expr.EMPTY);
            case 6 -> {
                int min = random.nextInt(2);
                yield new Expr.Repeat(expr(random, depth - 1), min, random.nextBoolean() ? Expr.UNBOUNDED : min + 1 + random.nextInt(2));
            }
            default -> Expr.sequence(expr(random, depth - 1), expr(random, depth - 1));
        };
    }

    private static Set<String> accepted(CompiledGrammar grammar) {
        Set<String> accepted = new TreeSet<>();
        List<String> texts = new ArrayList<>(List.of(""));
        for (int at = 0; at < texts.size(); at++) {
            String text = texts.get(at);
            if (Texts.fits(grammar, text)) {
                accepted.add(text);
            }
            if (text.length() < LENGTH) {
                texts.addAll(List.of(text + "a", text + "b", text + "c"));
            }
        }
        return accepted;
    }

    private Set<String> language() {
        List<Set<String>> known = new ArrayList<>();
        rules.forEach(rule -> known.add(new HashSet<>()));
        boolean changed = true;
        while (changed) {
            changed = false;
            for (int r = 0; r < rules.size(); r++) {
                changed |= known.get(r).addAll(texts(rules.get(r).body(), known));
            }
        }
        return new TreeSet<>(known.getFirst());
    }

    private Set<String> texts(Expr expr, List<Set<String>> known) {
        return switch (expr) {
            case Expr.Literal literal -> Set.of(literal.text());
            case Expr.Choice choice -> {
                Set<String> all = new HashSet<>();
                choice.parts().forEach(part -> all.addAll(texts(part, known)));
                yield all;
            }
            case Expr.Sequence sequence -> {
                Set<String> all = Set.of("");
                for (Expr part : sequence.parts()) {
                    all = joined(all, texts(part, known));
                }
                yield all;
            }
            case Expr.Repeat repeat -> repeated(repeat, known);
            case Expr.Rule rule -> known.get(rules.indexOf(rule));
            default -> throw new IllegalArgumentException(expr.toString());
        };
    }

    private Set<String> repeated(Expr.Repeat repeat, List<Set<String>> known) {
        Set<String> body = texts(repeat.body(), known);
        Set<String> power = Set.of("");
        Set<String> all = new HashSet<>();
        int most = Math.min(repeat.max(), repeat.min() + LENGTH);
        for (int n = 0; n <= most; n++) {
            if (n >= repeat.min()) {
                all.addAll(power);
            }
            power = joined(power, body);
        }
        return all;
    }

    private static Set<String> joined(Set<String> first, Set<String> second) {
        Set<String> all = new HashSet<>();
        for (String a : first) {
            for (String b : second) {
                if (a.length() + b.length() <= LENGTH) {
                    all.add(a + b);
                }
            }
        }
        return all;
    }
}

package dev.ringside.sampling.grammar;

import static dev.ringside.sampling.grammar.SchemaMaker.map;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.sampling.TokenConstraint;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ConstraintTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 4_031L);

    private final ToyVocabulary vocabulary = ToyVocabulary.random(new Random(SEED));
    private final Constraints constraints = Constraints.over(vocabulary);

    private TokenConstraint after(Grammar grammar, String text) {
        TokenConstraint constraint = constraints.of(grammar);
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            constraint.accept(b & 0xFF);
        }
        return constraint;
    }

    @Test
    void goingBackRestoresEveryEarlierState() {
        Random random = new Random(SEED);
        for (int i = 0; i < 30; i++) {
            TokenConstraint constraint = constraints.of(JsonSchemas.compile(new SchemaMaker(random).document()));
            List<long[]> masks = new ArrayList<>();
            for (int step = 0; step < 120; step++) {
                if (masks.size() == constraint.accepted()) {
                    masks.add(constraint.allowed().clone());
                }
                assertThat(constraint.allowed()).as("seed %d, grammar %d, step %d", SEED, i, step)
                        .isEqualTo(masks.get(constraint.accepted()));
                List<Integer> allowed = Texts.tokens(constraint.allowed());
                int token = allowed.get(random.nextInt(allowed.size()));
                if (vocabulary.endsGeneration(token) || random.nextInt(5) == 0) {
                    int to = random.nextInt(constraint.accepted() + 1);
                    constraint.rewind(to);
                    masks.subList(to + 1, masks.size()).clear();
                } else {
                    constraint.accept(token);
                }
            }
        }
    }

    @Test
    void aTokenThatDoesNotFitChangesNothing() {
        TokenConstraint constraint = after(JsonGrammar.anyObject(), "{\"a\":");
        long[] before = constraint.allowed().clone();

        assertThatThrownBy(() -> constraint.accept('}')).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("doesn't fit");
        assertThatThrownBy(() -> constraint.accept(vocabulary.size())).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not in the vocabulary");

        assertThat(constraint.accepted()).isEqualTo(5);
        assertThat(constraint.allowed()).isEqualTo(before);
    }

    @Test
    void goingBackBeyondTheAcceptedTokensIsRefused() {
        TokenConstraint constraint = after(JsonGrammar.anyObject(), "{");

        assertThatThrownBy(() -> constraint.rewind(2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> constraint.rewind(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theEndIsAllowedExactlyWhereTheTextMayEnd() {
        assertThat(after(JsonGrammar.anyObject(), "{\"a\":1").allows(vocabulary.end())).isFalse();
        assertThat(after(JsonSchemas.compile(map("type", "integer")), "1").allows(vocabulary.end())).isTrue();
        assertThat(Texts.tokens(after(JsonGrammar.anyObject(), "{\"a\":1}").allowed())).containsExactly(vocabulary.end());
    }

    @Test
    void controlTokensAreNoTextOfAString() {
        TokenConstraint constraint = after(JsonGrammar.anyObject(), "{\"a");

        for (String control : ToyVocabulary.CONTROLS) {
            assertThat(constraint.allows(vocabulary.control(control))).as(control).isFalse();
        }
    }

    @Test
    void aMarkerIsTheControlTokenOfThatTextAndNotItsSpelling() {
        TokenConstraint constraint = constraints.of(Grammar.sequence(Grammar.marker("<call>"), Grammar.literal("x")));

        assertThat(Texts.tokens(constraint.allowed())).containsExactly(vocabulary.control("<call>"));
        constraint.accept(vocabulary.control("<call>"));
        assertThat(Texts.tokens(constraint.allowed())).containsExactly((int) 'x');
    }

    @Test
    void freeTextDoesNotRestrictUntilTheTriggerComes() {
        TokenConstraint constraint = constraints.triggered("<call>",
                Grammar.sequence(JsonGrammar.anyObject(), Grammar.literal("</tool_call>")));

        assertThat(constraint.restricts()).isFalse();
        constraint.accept(vocabulary.token(" the"));
        constraint.accept(vocabulary.control("<|im_start|>"));
        assertThat(constraint.restricts()).isFalse();
        constraint.accept(vocabulary.control("<call>"));
        assertThat(constraint.restricts()).isTrue();
        assertThat(constraint.allows(vocabulary.token(" the"))).isFalse();
        constraint.accept(vocabulary.token("{}"));
        constraint.accept(vocabulary.token("</tool_call>"));
        assertThat(constraint.restricts()).isFalse();
    }

    @Test
    void aTokenThatGoesOnBehindTheTriggerMustGoOnRightly() {
        TokenConstraint constraint = constraints.triggered("<tool_call>", Grammar.literal("{}"));
        constraint.accept(vocabulary.token("<tool"));
        constraint.accept('_');
        constraint.accept('c');
        constraint.accept('a');
        constraint.accept('l');
        constraint.accept('l');

        assertThat(constraint.allows('>')).isTrue();
        assertThat(constraint.allows(vocabulary.token(">{\""))).isFalse();
        assertThat(constraint.allows(vocabulary.token(">\n"))).isFalse();
        assertThat(constraint.restricts()).isTrue();
    }

    @Test
    void noMoreCallsThanAllowedAreBegun() {
        TokenConstraint constraint = constraints.of(Grammar.triggered("<call>", Grammar.literal("{}"), 1));
        constraint.accept(vocabulary.control("<call>"));
        constraint.accept(vocabulary.token("{}"));

        assertThat(constraint.allows(vocabulary.control("<call>"))).isFalse();
        assertThat(constraint.allows(vocabulary.token(" the"))).isTrue();
        assertThat(constraint.allows(vocabulary.end())).isTrue();
    }

    @Test
    void alternativesOverToolsKeepTheArgumentsOfTheChosenOne() {
        Grammar calls = Grammar.alternatives(List.of(call("add", "integer"), call("addAll", "null")));

        assertThat(Texts.fits(calls, "{\"name\": \"add\", \"arguments\": {\"v\": 1}}")).isTrue();
        assertThat(Texts.fits(calls, "{\"name\": \"addAll\", \"arguments\": {\"v\": null}}")).isTrue();
        assertThat(Texts.fits(calls, "{\"name\": \"add\", \"arguments\": {\"v\": null}}")).isFalse();
        assertThat(Texts.fits(Grammar.repeat(calls, 2, 2), "{\"name\": \"add\", \"arguments\": {\"v\": 1}}")).isFalse();
    }

    private static Grammar call(String name, String type) {
        return Grammar.sequence(Grammar.literal("{\"name\": \"" + name + "\", \"arguments\": "),
                Grammar.json(map("type", "object", "properties", map("v", map("type", type)), "required", List.of("v"))),
                Grammar.literal("}"));
    }

    @Test
    void jsonFollowsAReasoningBlockOfAnyText() {
        Grammar grammar = Grammar.sequence(Grammar.textUntil("</think>"), Grammar.whitespace(), JsonGrammar.anyObject());
        TokenConstraint constraint = constraints.of(grammar);

        assertThat(constraint.allows(vocabulary.end())).isFalse();
        constraint.accept(vocabulary.token("{}"));
        constraint.accept(vocabulary.control("</think>"));
        constraint.accept(vocabulary.token("\n\n"));
        constraint.accept(vocabulary.token("{}"));
        assertThat(Texts.tokens(constraint.allowed())).containsExactly(vocabulary.end());
    }

    @Test
    void aVocabularyThatLacksWhatIsNeededIsReportedAsADeadEnd() {
        Vocabulary letters = new ToyVocabulary(List.of("a".getBytes(StandardCharsets.UTF_8), "<|end|>".getBytes(StandardCharsets.UTF_8)),
                1);
        TokenConstraint constraint = Constraints.over(letters).of(Grammar.literal("ab"));
        constraint.accept(0);

        assertThatThrownBy(constraint::allowed).isInstanceOf(DeadEndException.class).hasMessageContaining("single-byte token");
    }

    @Test
    void whatIsRememberedStaysWithinItsLimits() {
        Map<String, ?> schema = map("type", "array", "items", map("type", "string", "maxLength", 3_000));
        CompiledGrammar grammar = constraints.compile(JsonSchemas.compile(schema));
        TokenConstraint constraint = after(grammar, "[\"");
        for (int i = 0; i < 2_900; i++) {
            constraint.accept('a');
            if (i % 10 == 0) {
                assertThat(constraint.allows('"')).isTrue();
                constraint.allowed();
            }
        }

        assertThat(grammar.knownMasks()).isLessThanOrEqualTo(CompiledGrammar.MAX_MASKS);
        assertThat(grammar.knownStates()).isLessThanOrEqualTo(CompiledGrammar.MAX_STATES);
    }

    private static TokenConstraint after(CompiledGrammar grammar, String text) {
        TokenConstraint constraint = grammar.newConstraint();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            constraint.accept(b & 0xFF);
        }
        return constraint;
    }

    @Test
    void forgettingStatesChangesNoMask() {
        Automaton automaton = AutomatonBuilder.build(JsonGrammar.anyValue().expr(), new ControlTokens(vocabulary));
        Simulation forgetful = new Simulation(automaton, 3);
        Simulation other = new Simulation(automaton, 100_000);
        State a = forgetful.start();
        State b = other.start();
        for (byte c : "{\"a\": [1, {\"b\": [[\"x\", -2.5e3], null]}], \"c\": {}}".getBytes(StandardCharsets.UTF_8)) {
            a = forgetful.next(a, c);
            b = other.next(b, c);
            assertThat(a.complete).isEqualTo(b.complete);
            assertThat(a.keys).isEqualTo(b.keys);
            for (int next = 0; next < 256; next++) {
                assertThat(forgetful.next(a, next).isDead()).isEqualTo(other.next(b, next).isDead());
            }
        }
        assertThat(forgetful.known()).isLessThanOrEqualTo(3);
    }

    @Test
    void grammarsOfTheSameKeyAreCompiledOnceAndOldOnesForgotten() {
        Constraints two = Constraints.over(vocabulary, 2);
        CompiledGrammar first = two.compiled(map("type", "null"), () -> Grammar.json(map("type", "null")));

        assertThat(two.compiled(map("type", "null"), () -> Grammar.literal("other"))).isSameAs(first);
        two.compiled("b", () -> Grammar.literal("b"));
        two.compiled("c", () -> Grammar.literal("c"));
        assertThat(two.compiled(map("type", "null"), () -> Grammar.json(map("type", "null")))).isNotSameAs(first);
    }

    @Test
    void onePartMayOccurInManyPlaces() {
        Grammar digit = Grammar.pattern("[0-9]");

        assertThat(Texts.fits(Grammar.repeat(Grammar.sequence(digit, Grammar.optional(digit), Grammar.literal(",")), 1, 3), "12,3,45,"))
                .isTrue();
        assertThat(Texts.fits(Grammar.repeat(Grammar.sequence(digit, Grammar.optional(digit), Grammar.literal(",")), 1, 3), "1,2,3,4,"))
                .isFalse();
    }

    @Test
    void partsNestedTooDeepAreRefused() {
        Grammar nested = Grammar.literal("a");
        for (int i = 0; i < 60_000; i++) {
            nested = Grammar.optional(nested);
        }
        Grammar deep = nested;

        assertThatThrownBy(() -> constraints.of(deep)).isInstanceOf(GrammarException.class).hasMessageContaining("nested more than");
    }

    @Test
    void grammarsThatLeaveTooManyWaysOpenAreRefused() {
        assertThatThrownBy(() -> constraints.of(Grammar.pattern("(a?b?){9999}"))).isInstanceOf(GrammarException.class)
                .hasMessageContaining("ways open");
    }

    @Test
    void tooManyWaysLaterOnEndOnlyTheGenerationConcerned() {
        CompiledGrammar grammar = constraints
                .compile(Grammar.sequence(Grammar.optional(Grammar.pattern("q{40}(a?b?){9999}")), Grammar.literal("y")));
        TokenConstraint unlucky = grammar.newConstraint();
        for (int i = 0; i < 39; i++) {
            unlucky.accept('q');
        }

        assertThatThrownBy(() -> unlucky.accept('q')).isInstanceOf(TooAmbiguousException.class);

        TokenConstraint other = grammar.newConstraint();
        other.accept('y');
        assertThat(Texts.tokens(other.allowed())).containsExactly(vocabulary.end());
    }
}

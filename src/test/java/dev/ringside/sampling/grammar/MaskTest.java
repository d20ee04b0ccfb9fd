package dev.ringside.sampling.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.sampling.TokenConstraint;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compares masks with what comes of putting each token to the automaton byte by byte. */
class MaskTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 7_411L);

    private final Random random = new Random(SEED);
    private final ToyVocabulary vocabulary = ToyVocabulary.random(random);
    private final Constraints constraints = Constraints.over(vocabulary);

    private void assertMasksAreExact(Grammar grammar, int walks, int length) {
        CompiledGrammar compiled = constraints.compile(grammar);
        for (int walk = 0; walk < walks; walk++) {
            TokenConstraint constraint = compiled.newConstraint();
            StringBuilder text = new StringBuilder();
            for (int step = 0; step < length; step++) {
                List<Integer> expected = new ArrayList<>();
                for (int t = 0; t < vocabulary.size(); t++) {
                    if (constraint.allows(t)) {
                        expected.add(t);
                    }
                }
                assertThat(Texts.tokens(constraint.allowed())).as("after %s, seed %d", text, SEED).isEqualTo(expected);
                assertThat(constraint.restricts()).isEqualTo(expected.size() < vocabulary.size());
                int token = expected.get(random.nextInt(expected.size()));
                if (vocabulary.endsGeneration(token)) {
                    break;
                }
                constraint.accept(token);
                text.append(new String(vocabulary.bytes(token), StandardCharsets.UTF_8));
            }
        }
    }

    @Test
    void masksOfAnyJsonAreExact() {
        assertMasksAreExact(JsonGrammar.anyValue(), 40, 60);
    }

    @Test
    void masksOfBoundedStringsAreExact() {
        assertMasksAreExact(JsonSchemas.compile(Map.of("type", "string", "minLength", 3, "maxLength", 9)), 60, 12);
    }

    @Test
    void masksOfPatternsAreExact() {
        assertMasksAreExact(
                JsonSchemas.compile(Map.of("type", "array", "items", Map.of("type", "string", "pattern", "^[a-z é\"]{2,6}$|[0-9]+x"))), 60,
                20);
    }

    @Test
    void masksOfObjectsWithOtherKeysAreExact() {
        Map<String, ?> schema = Map.of("type", "object", "properties",
                Map.of("name", Map.of("type", "integer"), "na", Map.of("type", "null")),
                "additionalProperties", Map.of("type", "string"));

        assertMasksAreExact(JsonSchemas.compile(schema), 40, 30);
    }

    @Test
    void masksOfAmbiguousGrammarsAreExact() {
        Map<String, ?> nested = Map.of("$ref", "#/$defs/n", "$defs",
                Map.of("n", Map.of("anyOf", List.of(Map.of("type", "array", "items", Map.of("$ref", "#/$defs/n")),
                        Map.of("type", "array", "items", Map.of("$ref", "#/$defs/n"), "maxItems", 2), Map.of("type", "integer")))));

        assertMasksAreExact(JsonSchemas.compile(nested), 40, 40);
    }

    @Test
    void masksOfTriggeredTextAreExact() {
        Grammar call = Grammar.sequence(JsonGrammar.anyObject(), Grammar.literal("</tool_call>"));

        assertMasksAreExact(Grammar.triggered("<tool_call>", call, 1), 60, 30);
        assertMasksAreExact(Grammar.triggered("<call>", call, Grammar.UNBOUNDED), 60, 30);
    }

    @Test
    void masksOfTextUntilAMarkerAreExact() {
        assertMasksAreExact(Grammar.sequence(Grammar.textUntil("aab"), Grammar.whitespace(), JsonGrammar.anyObject()), 60, 30);
    }
}

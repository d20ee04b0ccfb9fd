package dev.ringside.sampling.grammar;

import static dev.ringside.sampling.grammar.SchemaMaker.map;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused, and how it is named. */
class SchemaRefusalTest {

    private static UnsupportedSchemaException refusal(Map<String, ?> schema) {
        return catchThrowableOfType(UnsupportedSchemaException.class, () -> JsonSchemas.compile(schema));
    }

    private static void assertRefused(Map<String, ?> schema, String path, String keyword) {
        UnsupportedSchemaException refusal = refusal(schema);
        assertThat(refusal).as("refusal of %s", schema).isNotNull();
        assertThat(refusal.path()).isEqualTo(path);
        assertThat(refusal.keyword()).isEqualTo(keyword);
        assertThat(refusal).hasMessageContaining(path).hasMessageContaining(keyword);
    }

    @ParameterizedTest
    @ValueSource(strings = {"not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties", "propertyNames",
        "contains",
        "unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$anchor", "maxProperties", "minContains", "divisibleBy", "madeUp"})
    void unsupportedKeywordsAreNamedWithTheirPlace(String keyword) {
        assertRefused(map("type", "object", "properties", map("a/b", map("type", "array", "items", map(keyword, map())))),
                "#/properties/a~1b/items", keyword);
    }

    @Test
    void unsupportedValuesOfSupportedKeywordsAreNamed() {
        assertRefused(map("type", "array", "uniqueItems", true), "#", "uniqueItems");
        assertRefused(map("type", "string", "format", "uri"), "#", "format");
        assertRefused(map("type", "integer", "multipleOf", 7), "#", "multipleOf");
        assertRefused(map("type", "object", "minProperties", 1), "#", "minProperties");
        assertRefused(map("type", "string", "format", "date", "pattern", "^2"), "#", "format");
        assertRefused(map("type", "string", "enum", List.of("a"), "maxLength", 3), "#", "maxLength");
    }

    @Test
    void malformedKeywordsAreNamed() {
        assertRefused(map("type", "text"), "#", "type");
        assertRefused(map("type", 3), "#", "type");
        assertRefused(map("type", List.of()), "#", "type");
        assertRefused(map("type", "string", "minLength", -1), "#", "minLength");
        assertRefused(map("type", "string", "maxLength", 1.5), "#", "maxLength");
        assertRefused(map("type", "number", "minimum", "3"), "#", "minimum");
        assertRefused(map("type", "number", "exclusiveMinimum", true), "#", "exclusiveMinimum");
        assertRefused(map("properties", List.of()), "#", "properties");
        assertRefused(map("properties", map("a", 3)), "#", "properties");
        assertRefused(map("required", "a"), "#", "required");
        assertRefused(map("anyOf", List.of()), "#", "anyOf");
        assertRefused(map("enum", List.of()), "#", "enum");
        assertRefused(map("items", List.of(map())), "#", "items");
        assertRefused(map("type", "string", "pattern", "("), "#", "pattern");
    }

    @Test
    void referencesThatLeadNowhereAreNamed() {
        assertRefused(map("items", map("$ref", "#/$defs/none")), "#/items", "$ref");
        assertRefused(map("$ref", "https://example.com/schema"), "#", "$ref");
        assertRefused(map("$ref", "#name"), "#", "$ref");
        assertRefused(map("$ref", "#/type", "type", "object"), "#", "$ref");
    }

    @Test
    void branchesOfOneOfThatMayOverlapAreRefused() {
        assertRefused(map("oneOf", List.of(map("type", "integer"), map("type", "number"))), "#", "oneOf");
        assertRefused(map("oneOf", List.of(map("type", "object", "properties", map("a", map("const", 1))),
                map("type", "object", "properties", map("a", map("const", 2))))), "#", "oneOf");
    }

    @Test
    void requiredNamesThatAreForbiddenAreRefused() {
        assertRefused(map("type", "object", "properties", map(), "required", List.of("a"), "additionalProperties", false), "#", "required");
    }

    @Test
    void schemasThatNothingFitsAreRefused() {
        Constraints constraints = Constraints.over(ToyVocabulary.bytesAnd(List.of(), List.of()));
        Map<String, ?> endless = map("$ref", "#/$defs/n", "$defs",
                map("n", map("type", "object", "properties", map("n", map("$ref", "#/$defs/n")), "required", List.of("n"))));

        for (Map<String, ?> schema : List.of(endless, map("type", "integer", "minimum", 3, "maximum", 2),
                map("allOf", List.of(map("type", "null"), map("type", "string"))),
                map("anyOf", List.of(false)))) {
            assertThatThrownBy(() -> constraints.of(JsonSchemas.compile(schema))).as("%s", schema).isInstanceOf(GrammarException.class)
                    .hasMessageContaining("no finite text fits");
        }
    }

    @Test
    void aReferenceToItselfIsRefused() {
        Constraints constraints = Constraints.over(ToyVocabulary.bytesAnd(List.of(), List.of()));
        Map<String, ?> loop = map("anyOf", List.of(map("$ref", "#"), map("type", "null")));

        assertThatThrownBy(() -> constraints.of(JsonSchemas.compile(loop))).isInstanceOf(GrammarException.class)
                .hasMessageContaining("refers to itself");
    }

    @Test
    void sixtyThousandNestedArraysAreRefused() {
        Map<String, Object> schema = map("type", "integer");
        for (int i = 0; i < 60_000; i++) {
            schema = map("type", "array", "items", schema);
        }

        assertThat(refusal(schema)).hasMessageContaining("nested more than 100 deep");
    }

    @Test
    void sixtyThousandNestedGroupsAreRefused() {
        Map<String, ?> schema = map("type", "string", "pattern", "(".repeat(60_000) + "a" + ")".repeat(60_000));

        assertThat(refusal(schema)).hasMessageContaining("nested more than 100 deep");
    }

    @Test
    void tooManyValuesAreRefused() {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < 60_000; i++) {
            values.add(i);
        }

        assertThat(refusal(map("enum", values))).hasMessageContaining("more than 50000 values");
    }

    @Test
    void repetitionsThatMultiplyAreRefusedBeforeTheyFillTheMemory() {
        Constraints constraints = Constraints.over(ToyVocabulary.bytesAnd(List.of(), List.of()));
        Map<String, ?> pattern = map("type", "string", "pattern", "^(" + "a{9999}b{9999}|".repeat(20) + "c)$");
        Map<String, ?> counted = map("type", "string", "pattern", "^([a-z]{0,900}[0-9]{0,900})*$", "maxLength", 5_000);

        for (Map<String, ?> schema : List.of(pattern, counted)) {
            assertThatThrownBy(() -> constraints.of(JsonSchemas.compile(schema))).isInstanceOf(GrammarException.class)
                    .hasMessageContaining("too large");
        }
    }

    @Test
    void exponentialCombinationsAreRefused() {
        Map<String, Object> schema = map("type", "object");
        List<Object> all = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            all.add(map("anyOf", List.of(map("properties", map("a" + i, true)), map("properties", map("b" + i, true)))));
        }
        schema.put("allOf", all);

        assertThat(refusal(schema)).hasMessageContaining("more than 5000 different parts");
    }

    @Test
    void numbersThatWouldNotFitInMemoryAreRefusedOrIgnored() {
        assertThat(refusal(map("type", "number", "minimum", new BigDecimal("1e1000000000")))).hasMessageContaining("20 digits");
        assertThat(refusal(map("type", "number", "minimum", new BigDecimal("1e-1000000000")))).hasMessageContaining("20 digits");
        assertThat(Texts.fits(JsonSchemas.compile(map("type", "integer", "maximum", new BigDecimal("1e1000000000"))), "12")).isTrue();
        assertThat(Texts.fits(JsonSchemas.compile(map("const", new BigDecimal("1e1000000000"))), "1E+1000000000")).isTrue();
    }
}

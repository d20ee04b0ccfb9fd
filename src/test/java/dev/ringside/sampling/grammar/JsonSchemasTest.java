package dev.ringside.sampling.grammar;

import static dev.ringside.sampling.grammar.SchemaMaker.map;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What each keyword lets through and what it doesn't. */
class JsonSchemasTest {

    private static void assertFits(Map<String, ?> schema, List<String> fitting, List<String> others) {
        CompiledGrammar grammar = Texts.overBytes(JsonSchemas.compile(schema));
        for (String text : fitting) {
            assertThat(Texts.fits(grammar, text)).as("%s fits %s", text, schema).isTrue();
        }
        for (String text : others) {
            assertThat(Texts.fits(grammar, text)).as("%s fits %s", text, schema).isFalse();
        }
    }

    @Test
    void typesAreOneOrSeveral() {
        assertFits(map("type", "integer"), List.of("0", "-12", "7"), List.of("1.0", "\"1\"", "-0", "01"));
        assertFits(map("type", List.of("boolean", "null")), List.of("true", "null"), List.of("0", "\"\""));
        assertFits(map("type", "string", "nullable", true), List.of("\"a\"", "null"), List.of("1"));
    }

    @Test
    void propertiesComeInTheOrderOfTheSchemaAndOptionalOnesMayBeLeftOut() {
        Map<String, ?> schema = map("type", "object", "properties",
                map("a", map("type", "integer"), "b", map("type", "integer"), "c", map("type", "integer")), "required", List.of("b"));

        assertFits(schema, List.of("{\"a\": 1, \"b\": 2, \"c\": 3}", "{\"b\":2}", "{\"a\":1,\"b\":2}", "{\n  \"b\": 2,\n  \"c\": 3\n}"),
                List.of("{}", "{\"a\":1}", "{\"b\":2,\"a\":1}", "{\"b\":2,\"b\":2}", "{\"b\":2,\"d\":1}", "{,\"b\":2}", "{\"b\":2,}"));
    }

    @Test
    void otherPropertiesFollowTheirOwnSchemaAndNeverTakeADeclaredName() {
        Map<String, ?> schema = map("type", "object", "properties", map("ab", map("type", "integer")), "additionalProperties",
                map("type", "null"));

        assertFits(schema, List.of("{}", "{\"ab\":1,\"a\":null,\"abc\":null}", "{\"x\\u0041\":null}", "{\"\":null}"),
                List.of("{\"ab\":null}", "{\"a\":1}", "{\"a\\u0062\":null}", "{\"\\u0061b\":null}"));
    }

    @Test
    void requiredNamesWithoutASchemaOfTheirOwnTakeThatOfOtherProperties() {
        assertFits(map("type", "object", "required", List.of("a"), "additionalProperties", map("type", "integer")),
                List.of("{\"a\":1}", "{\"a\":1,\"b\":2}"),
                List.of("{}", "{\"b\":1}", "{\"a\":null}"));
    }

    @Test
    void enumsAndConstantsAreExact() {
        assertFits(map("enum", List.of("a\nb", 1, 2.50, List.of(1, 2))), List.of("\"a\\nb\"", "1", "2.5", "[1, 2]", "[1,2]"),
                List.of("\"a\"", "2", "[1]"));
        assertFits(map("const", map("a", List.of(true))), List.of("{\"a\": [true]}", "{\"a\":[true]}"), List.of("{}", "{\"a\":[false]}"));
        assertFits(map("type", "string", "enum", List.of("x", 1)), List.of("\"x\""), List.of("1"));
    }

    @Test
    void anyOfLeavesAllBranchesOpen() {
        assertFits(map("anyOf", List.of(map("type", "object", "properties", map("a", map("type", "integer")), "required", List.of("a")),
                map("type", "object", "properties", map("a", map("type", "string")), "required", List.of("a")))),
                List.of("{\"a\":1}", "{\"a\":\"x\"}"), List.of("{\"a\":null}", "{}"));
    }

    @Test
    void siblingsOfAnyOfHoldInEachBranch() {
        assertFits(map("type", "string", "maxLength", 2, "anyOf", List.of(map("minLength", 2), map("pattern", "^x"))),
                List.of("\"ab\"", "\"x\"", "\"xy\""),
                List.of("\"a\"", "\"abc\"", "\"xyz\""));
    }

    @Test
    void allOfHoldsAltogether() {
        Map<String, ?> schema = map("allOf",
                List.of(map("type", "object", "properties", map("a", map("type", List.of("integer", "null"))), "required", List.of("a")),
                        map("properties", map("a", map("minimum", 3, "type", "number"), "b", true), "required", List.of("b"))));

        assertFits(schema, List.of("{\"a\":3,\"b\":null}", "{\"a\":17,\"b\":{}}"),
                List.of("{\"a\":2,\"b\":1}", "{\"a\":3}", "{\"a\":null,\"b\":1}", "{\"a\":3.5,\"b\":1}"));
    }

    @Test
    void forbiddenPropertiesOfOnePartOfAllOfAreForbiddenInTheWhole() {
        Map<String, ?> schema = map("allOf", List.of(map("type", "object", "properties", map("a", true), "additionalProperties", false),
                map("properties", map("a", map("type", "integer"), "b", map("type", "integer")))));

        assertFits(schema, List.of("{}", "{\"a\":1}"), List.of("{\"b\":1}", "{\"a\":1,\"b\":1}", "{\"a\":\"\"}"));
    }

    @Test
    void referencesMayBeRecursive() {
        Map<String, ?> schema = map("$ref", "#/$defs/list", "$defs", map("list",
                map("type", "object", "properties", map("next", map("anyOf", List.of(map("$ref", "#/$defs/list"), map("type", "null")))),
                        "required", List.of("next"),
                        "additionalProperties", false)));

        assertFits(schema, List.of("{\"next\":null}", "{\"next\":{\"next\":{\"next\":null}}}"),
                List.of("{}", "{\"next\":{}}", "{\"next\":{\"next\":null}"));
    }

    @Test
    void aPointerMayBeEscaped() {
        assertFits(map("$ref", "#/$defs/a~1b%20c", "$defs", map("a/b c", map("type", "null"))), List.of("null"), List.of("1"));
    }

    @Test
    void arraysHaveAPrefixItemsAndBounds() {
        Map<String, ?> schema = map("type", "array", "prefixItems", List.of(map("type", "string"), map("type", "null")), "items",
                map("type", "integer"),
                "minItems", 1, "maxItems", 4);

        assertFits(schema, List.of("[\"a\"]", "[\"a\", null]", "[\"a\",null,1]", "[\"a\",null,1,2]"),
                List.of("[]", "[1]", "[\"a\",1]", "[\"a\",null,1,2,3]", "[\"a\",null,\"b\"]"));
        assertFits(map("type", "array", "items", false), List.of("[]"), List.of("[1]"));
        assertFits(map("type", "array", "items", map("type", "null"), "maxItems", 0), List.of("[]"), List.of("[null]"));
        assertFits(map("type", "array", "items", map("type", "null"), "minItems", 3), List.of("[null,null,null]", "[null,null,null,null]"),
                List.of("[null,null]"));
    }

    @Test
    void lengthsCountCharactersHoweverTheyAreWritten() {
        Map<String, ?> schema = map("type", "string", "minLength", 2, "maxLength", 3);

        assertFits(schema, List.of("\"ab\"", "\"日本語\"", "\"👩\\n\\ud83d\\udc69\"", "\"\\u0041\\\\\""),
                List.of("\"a\"", "\"abcd\"", "\"👩\"", "\"\\ud83d\\udc69\""));
    }

    @Test
    void patternsMatchAnywhereUnlessAnchored() {
        assertFits(map("type", "string", "pattern", "b+"), List.of("\"b\"", "\"abba\"", "\"\\nb\""), List.of("\"\"", "\"ac\""));
        assertFits(map("type", "string", "pattern", "^b|c$"), List.of("\"bx\"", "\"xc\""), List.of("\"xb\"", "\"cx\""));
        assertFits(map("type", "string", "pattern", "^[\\\\\"]$"), List.of("\"\\\\\"", "\"\\\"\""), List.of("\"\"\"", "\"\\\"", "\"x\""));
    }

    @Test
    void patternsAndLengthsGoTogether() {
        assertFits(map("type", "string", "pattern", "^[a-z]+$", "minLength", 2, "maxLength", 4), List.of("\"ab\"", "\"abcd\""),
                List.of("\"a\"", "\"abcde\"", "\"1a\""));
        assertFits(map("type", "string", "pattern", "é", "maxLength", 3), List.of("\"é\"", "\"xéy\""), List.of("\"xyz\"", "\"xéyz\""));
    }

    @Test
    void numbersKeepTheirBoundsDigitByDigit() {
        assertFits(map("type", "number", "minimum", new BigDecimal("-1.5"), "exclusiveMaximum", 10),
                List.of("-1.5", "-1.49", "0", "-0.25", "9.999", "9", "-1.50"),
                List.of("10", "-1.51", "-2", "10.0", "11"));
        assertFits(map("type", "number", "exclusiveMinimum", 0, "maximum", 1), List.of("0.1", "1", "1.00", "0.001"),
                List.of("0", "0.0", "1.01", "-0.5"));
        assertFits(map("type", "number", "multipleOf", new BigDecimal("0.01")), List.of("1.25", "-3", "0.5"), List.of("1.255", "1e2"));
    }

    @Test
    void keywordsOfOtherTypesSayNothing() {
        assertFits(map("type", "boolean", "minimum", 3, "maxLength", 1), List.of("true"), List.of("3"));
    }

    @Test
    void aSchemaWithoutKeywordsTakesAnything() {
        assertFits(map("description", "whatever", "x-order", 3), List.of("1", "[{\"a\":null}]", "\"\""), List.of("", "a"));
    }

    @Test
    void exclusiveBranchesOfOneOfAreAccepted() {
        assertFits(map("oneOf", List.of(map("type", "string"), map("type", "integer"))), List.of("\"a\"", "1"), List.of("null"));
        assertFits(map("oneOf", List.of(
                map("type", "object", "properties", map("k", map("const", "a"), "v", map("type", "integer")), "required", List.of("k")),
                map("type", "object", "properties", map("k", map("enum", List.of("b", "c"))), "required", List.of("k")))),
                List.of("{\"k\":\"a\",\"v\":1}", "{\"k\":\"c\"}"), List.of("{\"k\":\"b\",\"v\":1}", "{}"));
    }
}

package dev.ringside.sampling.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JsonGrammarTest {

    private static final CompiledGrammar VALUE = Texts.overBytes(JsonGrammar.anyValue());

    private static boolean fits(String text) {
        return Texts.fits(VALUE, text);
    }

    @Test
    void everyKindOfValueFits() {
        for (String json : new String[] {"null", "true", "false", "0", "-1.5e+10", "\"\"", "[]", "{}", "[1, 2]",
            "{\"a\": {\"b\": [null]}, \"c\":1}",
            "{\n  \"a\": 1,\n  \"b\": [\n    2\n  ]\n}"}) {
            assertThat(fits(json)).as(json).isTrue();
        }
    }

    @Test
    void whatIsNoJsonDoesNotFit() {
        for (String text : new String[] {"", "nul", "01", "1.", ".5", "+1", "1e", "[1,]", "{\"a\":1,}", "{a:1}", "'a'", "[1 2]", "{\"a\"}",
            "\"a", "[", "\"\t\"", "nan"}) {
            assertThat(fits(text)).as(text).isFalse();
        }
    }

    @Test
    void stringsTakeAnyCharacterAndEscape() {
        for (String text : new String[] {"\"👩‍👩‍👧‍👦 日本 é\"", "\"\\u00e9 \\n \\/ \\\\ \\\"\"", "\"\\ud83d\\udc69\"", "\"\u007f\""}) {
            assertThat(fits(text)).as(text).isTrue();
        }
    }

    @Test
    void halfSurrogatesAndUnknownEscapesDoNotFit() {
        for (String text : new String[] {"\"\\ud83d\"", "\"\\ud83dx\"", "\"\\udc69\"", "\"\\ud83d\\u0041\"", "\"\\x41\"", "\"\\u00g0\""}) {
            assertThat(fits(text)).as(text).isFalse();
        }
    }

    @Test
    void whitespaceIsBounded() {
        assertThat(fits("[ 1]")).isTrue();
        assertThat(fits("[1,   2]")).isFalse();
        assertThat(fits("[\n" + " ".repeat(40) + "1]")).isTrue();
        assertThat(fits("[\n" + " ".repeat(200) + "1]")).isFalse();
        assertThat(fits("[1] ")).isFalse();
    }

    @Test
    void onlyObjectsFitAnyObject() {
        CompiledGrammar object = Texts.overBytes(JsonGrammar.anyObject());

        assertThat(Texts.fits(object, "{\"a\": [1, {\"b\": \"\"}]}")).isTrue();
        assertThat(Texts.fits(object, "[]")).isFalse();
        assertThat(Texts.fits(object, "1")).isFalse();
    }

    @Test
    void sixtyThousandOpenBracketsAreFollowedWithoutRecursion() {
        assertThat(fits("[".repeat(60_000) + "]".repeat(60_000))).isTrue();
        assertThat(fits("[".repeat(60_000) + "]".repeat(59_999))).isFalse();
    }
}

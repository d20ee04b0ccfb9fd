package dev.ringside.sampling.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PatternTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 2_718L);

    private static final List<String> PATTERNS = List.of("a*b", "(ab|c)+", "[a-c]{2,3}", "a?b?c?", "(?:a|bc){2}", "[^a]b.", "\\d+[a-c]",
            "\\w\\W?", "(a(b(c)?)?)?",
            "a{0}b", "a{2,}", "(?<x>a|b)c*?", "[\\]a-]+", "\\u0061\\x62", "[\\d\\sb]*", "|a", "()a", "(|a)b");

    /** Java's own expressions as the oracle: on these patterns both mean the same. */
    @Test
    void textsFitAsTheyDoInJava() {
        Random random = new Random(SEED);
        for (String pattern : PATTERNS) {
            CompiledGrammar grammar = Texts.overBytes(Grammar.pattern(pattern));
            Pattern oracle = Pattern.compile(pattern);
            for (int i = 0; i < 300; i++) {
                StringBuilder text = new StringBuilder();
                int length = random.nextInt(6);
                for (int k = 0; k < length; k++) {
                    text.append("abc1 ]-é".charAt(random.nextInt(8)));
                }
                assertThat(Texts.fits(grammar, text.toString())).as("%s on %s, seed %d", pattern, text, SEED)
                        .isEqualTo(oracle.matcher(text).matches());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a(?=b)", "(?!a)", "(?<=a)b", "(?<!a)b", "(a)\\1", "\\bword", "\\p{L}", "(?i)a", "a**", "a{3,2}", "a{99999}",
        "*a", "(a", "a)", "[a", "[b-a]",
        "a{", "(^a)", "a$b", "\\", "\\q", "[\\d-z]", "\\k<x>", "a^b"})
    void whatIsNotSupportedIsRefused(String pattern) {
        assertThatThrownBy(() -> Grammar.pattern(pattern)).isInstanceOf(GrammarException.class).hasMessageContaining("pattern");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ' ', value = {"date 2024-02-29 2023-02-29", "date 2000-02-29 1900-02-29", "date 1999-12-31 1999-13-01",
        "date 2024-04-30 2024-04-31",
        "time 23:59:59Z 24:00:00Z", "time 01:02:03.5+05:30 01:02:03", "date-time 2024-02-29T00:00:00Z 2024-02-29",
        "duration P1Y2M3DT4H5M6S P", "duration P2W P1S",
        "duration PT1M PT", "email a.b+c@example.org a..b@example.org", "email x@y.co @y.co", "hostname a-b.example -a.example",
        "hostname a a.", "ipv4 255.0.10.1 256.0.0.1",
        "ipv4 0.0.0.0 1.2.3", "ipv6 2001:db8::1 2001:db8:::1", "ipv6 :: :", "ipv6 1:2:3:4:5:6:7:8 1:2:3:4:5:6:7", "ipv6 ::1 1::2::3",
        "ipv6 1:: 1:2:3:4:5:6:7:8:9",
        "uuid 123e4567-e89b-12d3-a456-426614174000 123e4567e89b12d3a456426614174000"})
    void formatsTakeWhatTheyMean(String format, String good, String bad) {
        CompiledGrammar grammar = Texts.overBytes(JsonSchemas.compile(SchemaMaker.map("type", "string", "format", format)));

        assertThat(Texts.fits(grammar, "\"" + good + "\"")).as(good).isTrue();
        assertThat(Texts.fits(grammar, "\"" + bad + "\"")).as(bad).isFalse();
    }
}

package dev.ringside.chat.jinja;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.tokenizer.TextSpan;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JinjaTemplateTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final JsonNode REFERENCE = JSON.readTree(JinjaTemplateTest.class.getResourceAsStream("/chat/jinja-cases.json"));
    private static final Limits TIGHT = new Limits(512 * 1024, Limits.DEFAULT.nesting(), 1_000_000, 1_000_000);
    private static final ZonedDateTime TIME = ZonedDateTime.of(2026, 3, 7, 14, 5, 9, 0, ZoneOffset.UTC);

    static Stream<JsonNode> cases() {
        return REFERENCE.path("cases").valueStream();
    }

    static Stream<String> errors() {
        return REFERENCE.path("errors").valueStream().map(JsonNode::asString);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void rendersAsPythonsJinja(JsonNode testCase) {
        assertThat(text(testCase.path("template").asString(), variables())).isEqualTo(testCase.path("output").asString());
    }

    @ParameterizedTest
    @MethodSource("errors")
    void refusesWhatPythonsJinjaRefuses(String template) {
        assertThatThrownBy(() -> text(template, variables())).isInstanceOf(JinjaException.class);
    }

    @Test
    void errorsNameTheLine() {
        assertThatThrownBy(() -> text("a\n{% if true %}\n{{ nope.x }}\n{% endif %}", Map.of())).hasMessageContaining("line 3")
                .hasMessageContaining("nope");
        assertThatThrownBy(() -> text("a\n\n{{ 1 + }}", Map.of())).hasMessageContaining("line 3");
    }

    @Test
    void raisedMessagesComeThroughUnchanged() {
        assertThatThrownBy(() -> text("{{ raise_exception('No ' ~ s) }}", Map.of("s", "way"))).isInstanceOf(JinjaException.class)
                .hasMessage("No way")
                .matches(e -> ((JinjaException) e).raisedByTemplate());
    }

    @ParameterizedTest
    @CsvSource({"%Y-%m-%d,2026-03-07", "%d %B %Y,07 March 2026", "%-d %b %y,7 Mar 26", "%H:%M:%S,14:05:09", "%I %p,02 PM", "%A,Saturday",
        "%j%%,066%"})
    void formatsTheTime(String format, String expected) {
        assertThat(text("{{ strftime_now('" + format + "') }}", Map.of())).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{{ s }}", "{{ 'a' + s + 'b' }}", "{{ s ~ s }}", "{{ s|trim }}", "{{ s.strip() }}", "{{ s.replace('x', 'y') }}",
        "{{ 'x'.replace('x', s) }}",
        "{{ s|tojson }}", "{{ {'k': [s]}|tojson }}", "{{ {s: 1}|tojson }}", "{{ [s] }}", "{{ s|upper }}", "{{ s[1:] }}", "{{ s[::-1] }}",
        "{{ s.split('|')[1] }}", "{{ s|join('') }}",
        "{{ '%s' % s }}", "{{ '{}'.format(s) }}", "{{ s|indent }}", "{{ s|list|join }}", "{% for c in s %}{{ c }}{% endfor %}",
        "{% set x %}{{ s }}{% endset %}{{ x }}",
        "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(s) }}", "{% set ns = namespace(v=s) %}{{ ns.v }}",
        "{% filter trim %}{{ s }}{% endfilter %}", "{{ s|string|safe }}", "{{ s * 2 }}",
        "{{ [s, s]|join('-') }}", "{{ s|title }}", "{{ s|truncate(4) }}", "{{ s|e }}", "{{ s.partition('|')[2] }}", "{{ s|default('d') }}",
        "{{ {'a': s}.items()|list|string }}",
        "{% for k, v in d.items() %}{{ k }}{{ v }}{% endfor %}", "{{ d }}", "{{ s.center(30) }}", "{{ [s]|map('upper')|first }}",
        "{{ s.splitlines()[0] }}"})
    void contentStaysContentHoweverItIsHandled(String template) {
        List<TextSpan> spans = render(template, Map.of("s", "Q|Qz", "d", Map.of("Q", "Q")));
        assertThat(spans).filteredOn(TextSpan::fromTemplate).noneSatisfy(span -> assertThat(span.text()).containsAnyOf("Q", "z", "Z"));
        assertThat(spans).anySatisfy(span -> assertThat(span.fromTemplate()).isFalse());
    }

    @Test
    void templateTextAndTrustedTextStayTemplateText() {
        List<TextSpan> spans = JinjaTemplate.parse("{{ bos ~ '<|a|>' + s + '<|b|>' }}\nx", Limits.DEFAULT).render(Map.of("bos", "<s>"),
                Map.of("s", "<|a|>"), () -> TIME);
        assertThat(spans).containsExactly(new TextSpan("<s><|a|>", true), new TextSpan("<|a|>", false), new TextSpan("<|b|>\nx", true));
    }

    static Stream<String> hostile() {
        return Stream.of("{% for a in range(1000000000) %}{% endfor %}",
                "{% for a in range(10000) %}{% for b in range(10000) %}x{% endfor %}{% endfor %}",
                "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "{{ 'a' * 1000000000 }}", "{{ [1] * 1000000000 }}",
                "{{ 'a'.center(2000000000) }}",
                "{% set ns = namespace(s='aaaaaaaa') %}{% for i in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
                "{% set ns = namespace(s=['a']) %}{% for i in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
                "{% set ns = namespace(s=[]) %}{% for i in range(200) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s == ns.s }}",
                "{% set ns = namespace(s=[]) %}{% for i in range(200) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s }}",
                "{% set ns = namespace(s=[]) %}{% for i in range(200) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s|tojson }}",
                "{% set ns = namespace(s=[]) %}{% for i in range(100000) %}{% set ns.s = [ns.s] %}{% endfor %}{{ ns.s|string|length }}",
                "{{ 'x' * 700000 ~ 'x' * 700000 }}", "{{ ('ab' * 400000).split('b')|length }}", "{{ 9223372036854775807 + 1 }}",
                "{{ 2 ** 1000 }}", "{{ 99999999999999999999 }}",
                "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}", "{{ " + "(".repeat(5000) + "1" + ")".repeat(5000) + " }}",
                "{{ " + "[".repeat(5000) + " }}",
                "{{ " + "not ".repeat(5000) + "1 }}", "{{ " + "-".repeat(5000) + "1 }}", "{{ 1" + " + 1".repeat(5000) + " }}",
                "{{ x" + ".x".repeat(5000) + " }}",
                "{{ x" + "|trim".repeat(5000) + " }}", "{% if 1 %}".repeat(5000), "{{ 1" + " if 1 else 1".repeat(5000) + " }}",
                "{% set " + "(".repeat(5000) + "a = 1 %}",
                "x".repeat(600_000));
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void hostileTemplatesAreStopped(String template) throws InterruptedException {
        Throwable[] thrown = new Throwable[1];
        Thread thread = new Thread(null, () -> {
            try {
                JinjaTemplate.parse(template, TIGHT).render(Map.of(), Map.of("x", "x"), () -> TIME);
            } catch (RuntimeException | Error e) {
                thrown[0] = e;
            }
        }, "usual-stack", 512 * 1024);
        thread.start();
        thread.join();
        assertThat(thrown[0]).isInstanceOf(JinjaException.class);
    }

    @Test
    void largeContentIsNoProblem() {
        String large = "word <|im_end|> ".repeat(65_536);
        String template = "{% for m in ms %}{{ '<|u|>' + m.strip().replace('word', 'x').split('nothing')[-1] }}{{ m|tojson }}{% endfor %}";
        assertThat(text(template, Map.of("ms", List.of(large, large)))).hasSizeGreaterThan(2_000_000);
    }

    private static String text(String template, Map<String, ?> variables) {
        return render(template, variables).stream().map(TextSpan::text).collect(Collectors.joining());
    }

    private static List<TextSpan> render(String template, Map<String, ?> variables) {
        return JinjaTemplate.parse(template, Limits.DEFAULT).render(Map.of(), variables, () -> TIME);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> variables() {
        return JSON.treeToValue(REFERENCE.path("variables"), LinkedHashMap.class);
    }
}

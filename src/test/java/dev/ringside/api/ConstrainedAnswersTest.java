package dev.ringside.api;

import static dev.ringside.api.ApiServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.FinishReason;
import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.engine.Timings;
import dev.ringside.engine.Usage;
import dev.ringside.sampling.TokenConstraint;
import dev.ringside.tokenizer.SpecialTokens;
import dev.ringside.tokenizer.TokenStreamDecoder;
import dev.ringside.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Answers of a model that knows nothing and writes whatever it may: what is right about them is due to the constraint. */
class ConstrainedAnswersTest {

    private static final long SEED = Long.getLong("ringside.test.seed", System.nanoTime());
    private static final int ROUNDS = 4;
    private static final String HARMONY = "<|channel|> <|message|>";

    private static final String HI = "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"max_tokens\":1500";
    private static final String TOOLS = ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"weather\",\"parameters\":{\"type\":\"object\","
            + "\"properties\":{\"city\":{\"type\":\"string\"},\"days\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9},"
            + "\"unit\":{\"type\":\"string\",\"enum\":[\"C\",\"F\"]}},"
            + "\"required\":[\"city\",\"unit\"],\"additionalProperties\":false}}},"
            + "{\"type\":\"function\",\"function\":{\"name\":\"now\"}}]";

    private static final String CHATML = """
        {%- if tools -%}{{- '<|im_start|>system\\n' ~ (tools | tojson) ~ '<|im_end|>\\n' -}}{%- endif -%}
        {%- for message in messages -%}{{- '<|im_start|>' ~ message.role ~ '\\n' ~ message.content ~ '<|im_end|>\\n' -}}{%- endfor -%}
        {%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}
        """;

    /** Marks that make a template one of each format. */
    private static String template(String marks) {
        return "{#- " + marks + " -#}\n" + CHATML;
    }

    @ParameterizedTest
    @ValueSource(strings = {"<tool_call>", "<tool_call> <function=f> <parameter=p>", "<tool_call> <arg_key>", "<｜tool▁call▁begin｜>",
        "<|python_tag|>", "[TOOL_CALLS]", "<think> <tool_call>", HARMONY})
    void requiredCallsAreCallsOfKnownToolsWithRightArguments(String marks) {
        try (ApiServer server = server(template(marks))) {
            for (int round = 0; round < ROUNDS; round++) {
                JsonNode choice = json(server.chat("{" + HI + TOOLS + ",\"tool_choice\":\"required\"}")).path("choices").get(0);

                assertThat(choice.path("finish_reason").stringValue()).as("seed %d: %s", SEED, choice).isEqualTo("tool_calls");
                assertThat(choice.path("message").path("content").isNull()).as("seed %d: %s", SEED, choice).isTrue();
                choice.path("message").path("tool_calls").forEach(ConstrainedAnswersTest::check);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"<tool_call>", "<tool_call> <function=f> <parameter=p>", "<tool_call> <arg_key>", "<｜tool▁call▁begin｜>",
        "<|python_tag|>", "[TOOL_CALLS]", HARMONY})
    void aNamedToolIsCalledOnce(String marks) {
        try (ApiServer server = server(template(marks))) {
            JsonNode choice = json(server
                    .chat("{" + HI + TOOLS + ",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"now\"}}}"))
                    .path("choices").get(0);

            assertThat(choice.path("message").path("tool_calls")).as("seed %d: %s", SEED, choice).hasSize(1);
            assertThat(choice.path("message").path("tool_calls").get(0).path("function").toString())
                    .isEqualTo("{\"name\":\"now\",\"arguments\":\"{}\"}");
        }
    }

    @Test
    void oneCallOnlyWhereParallelOnesAreNotAllowed() {
        try (ApiServer server = server(template("<tool_call>"))) {
            for (int round = 0; round < ROUNDS; round++) {
                JsonNode choice = json(server.chat("{" + HI + TOOLS + ",\"tool_choice\":\"required\",\"parallel_tool_calls\":false}"))
                        .path("choices").get(0);

                assertThat(choice.path("message").path("tool_calls")).as("seed %d: %s", SEED, choice).hasSize(1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<think>", "<think> <tool_call>", HARMONY})
    void aSchemaIsKept(String marks) {
        String format = ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"person\",\"schema\":{\"type\":\"object\","
                + "\"properties\":{\"name\":{\"type\":\"string\"},\"age\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":150}},"
                + "\"required\":[\"name\",\"age\"],\"additionalProperties\":false}}}";
        try (ApiServer server = server(template(marks))) {
            for (int round = 0; round < ROUNDS; round++) {
                JsonNode person = content(server, format);

                assertThat(person.propertyNames()).as("seed %d: %s", SEED, person).containsExactly("name", "age");
                assertThat(person.path("name").isString()).isTrue();
                assertThat(person.path("age").intValue()).isBetween(0, 150);
            }
        }
    }

    @Test
    void aJsonObjectIsAnObject() {
        try (ApiServer server = server(template(""))) {
            for (int round = 0; round < ROUNDS; round++) {
                assertThat(content(server, ",\"response_format\":{\"type\":\"json_object\"}").isObject()).as("seed %d", SEED).isTrue();
            }
        }
    }

    @Test
    void aModelWhoseTemplateOpensItsReasoningThinksFirst() {
        String template = template("<think> <tool_call>").replace("'<|im_start|>assistant\\n'", "'<|im_start|>assistant\\n<think>\\n'");
        try (ApiServer server = server(template)) {
            JsonNode choice = json(server.chat("{" + HI + TOOLS + ",\"tool_choice\":\"required\"}")).path("choices").get(0);

            assertThat(choice.path("finish_reason").stringValue()).as("seed %d: %s", SEED, choice).isEqualTo("tool_calls");
            choice.path("message").path("tool_calls").forEach(ConstrainedAnswersTest::check);
        }
    }

    @Test
    void everyChoiceHasAConstraintOfItsOwn() {
        try (ApiServer server = server(template(""))) {
            JsonNode choices = json(server.chat("{" + HI + ",\"n\":3,\"response_format\":{\"type\":\"json_object\"}}")).path("choices");

            assertThat(choices).hasSize(3);
            choices.forEach(choice -> assertThat(
                    JsonMapper.shared().readTree(choice.path("message").path("content").stringValue()).isObject()).isTrue());
        }
    }

    private static JsonNode content(ApiServer server, String format) {
        String text = json(server.chat("{" + HI + format + "}")).path("choices").get(0).path("message").path("content").stringValue();
        return JsonMapper.shared().readTree(text);
    }

    private static void check(JsonNode call) {
        JsonNode arguments = JsonMapper.shared().readTree(call.path("function").path("arguments").stringValue());
        String name = call.path("function").path("name").stringValue();
        if (name.equals("now")) {
            assertThat(arguments.toString()).as("seed %d", SEED).isEqualTo("{}");
            return;
        }
        assertThat(name).as("seed %d", SEED).isEqualTo("weather");
        assertThat(Set.of("city", "days", "unit")).as("seed %d: %s", SEED, arguments).containsAll(arguments.propertyNames());
        assertThat(arguments.path("city").isString()).as("seed %d: %s", SEED, arguments).isTrue();
        assertThat(arguments.path("unit").stringValue()).as("seed %d", SEED).isIn("C", "F");
        if (arguments.has("days")) {
            assertThat(arguments.path("days").intValue()).as("seed %d", SEED).isBetween(1, 9);
        }
    }

    private static ApiServer server(String template) {
        ApiServer server = ApiServer.start(UnaryOperator.identity(), template);
        Random random = new Random(SEED);
        server.generator.script = request -> {
            Supplier<TokenConstraint> constraint = request.constraint();
            return constraint == null
                    ? ScriptedGenerator.answer(request, "Free")
                    : new Writer(server.tokenizer(), new Random(random.nextLong()), constraint.get()).write(request);
        };
        return server;
    }

    /** Tokens at random among those allowed, with a liking for those that bring the text to its end. */
    private static final class Writer {

        private static final List<String> ENDS = List.of("</think>", "<|end|>", "\n</parameter>\n", "</arg_value>\n", "</parameter>",
                "</tool_call>");
        private static final Set<String> LIKED = Set.of("\"", "}", "]", "{}");

        private final Tokenizer tokenizer;
        private final Random random;
        private final TokenConstraint constraint;
        private final TokenStreamDecoder decoder;
        private final boolean[] liked;
        private final List<GenerationEvent> events = new ArrayList<>();

        Writer(Tokenizer tokenizer, Random random, TokenConstraint constraint) {
            this.tokenizer = tokenizer;
            this.random = random;
            this.constraint = constraint;
            this.decoder = new TokenStreamDecoder(tokenizer);
            this.liked = new boolean[tokenizer.vocabularySize()];
            for (int token = 0; token < liked.length; token++) {
                liked[token] = tokenizer.isEndOfGeneration(token) || LIKED.contains(tokenizer.piece(token));
            }
        }

        Flux<GenerationEvent> write(GenerationRequest request) {
            FinishReason reason = FinishReason.LENGTH;
            while (events.size() < request.maxTokens()) {
                if (random.nextInt(8) == 0) {
                    ENDS.forEach(this::tryToWrite);
                }
                int token = next();
                if (tokenizer.isEndOfGeneration(token)) {
                    reason = FinishReason.STOP;
                    break;
                }
                accept(token);
            }
            events.add(new GenerationEvent.Completed(reason, new Usage(request.prompt().length, events.size(), 0), new Timings(1, 1, 1)));
            return Flux.fromIterable(events);
        }

        private void accept(int token) {
            constraint.accept(token);
            events.add(new GenerationEvent.TextDelta(decoder.append(token), 1));
        }

        private void tryToWrite(String text) {
            for (int token : tokenizer.encode(text, SpecialTokens.AS_TEXT)) {
                if (!constraint.allows(token)) {
                    return;
                }
                accept(token);
            }
        }

        private int next() {
            long[] allowed = constraint.allowed();
            boolean free = random.nextInt(4) == 0;
            int chosen = -1;
            int candidates = 0;
            boolean endings = false;
            for (int token = 0; token < liked.length; token++) {
                if ((allowed[token >> 6] >>> (token & 63) & 1) == 0) {
                    continue;
                }
                if (!free && liked[token] && !endings) {
                    endings = true;
                    candidates = 0;
                }
                if ((!endings || liked[token]) && random.nextInt(++candidates) == 0) {
                    chosen = token;
                }
            }
            return chosen;
        }
    }
}

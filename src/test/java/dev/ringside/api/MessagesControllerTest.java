package dev.ringside.api;

import static dev.ringside.api.ApiServer.error;
import static dev.ringside.api.ApiServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.FinishReason;
import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.Timings;
import dev.ringside.engine.Usage;
import dev.ringside.serving.UnavailableException;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import tools.jackson.databind.JsonNode;

class MessagesControllerTest {

    private static final String HI = "\"max_tokens\":100,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]";
    private static final String WEATHER = "{\"name\":\"weather\",\"description\":\"d\","
            + "\"input_schema\":{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}}";
    private static final String[] THOUGHT_AND_ANSWER = {"<think>I w", "onder</think>", "Hel", "lo"};
    private static final String[] CALL = {"Sure.", "<tool_call>{\"name\": \"weather\", ", "\"arguments\": {\"city\": \"Rome\"}}",
        "</tool_call>"};

    private static ApiServer server;

    @BeforeAll
    static void start() {
        server = ApiServer.start(settings -> settings, ApiServer.THINKING_TEMPLATE);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void plainAnswers() {
        answers("Hello", " world");
    }

    @Test
    void aWholeAnswerHasTheShapeOfAnthropic() {
        HttpResponse<String> response = post("{\"system\":\"Be brief\"," + HI + "}");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        JsonNode body = json(response);
        assertThat(body.path("id").stringValue()).startsWith("msg_");
        assertThat(body.path("type").stringValue()).isEqualTo("message");
        assertThat(body.path("role").stringValue()).isEqualTo("assistant");
        assertThat(body.path("content").toString()).isEqualTo("[{\"type\":\"text\",\"text\":\"Hello world\"}]");
        assertThat(body.path("stop_reason").stringValue()).isEqualTo("end_turn");
        assertThat(body.path("stop_sequence").isNull()).isTrue();
        assertThat(body.path("usage").path("output_tokens").intValue()).isEqualTo(2);
        assertThat(server.lastPrompt())
                .isEqualTo("<|im_start|>system\nBe brief<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    }

    @Test
    void thoughtsAndCallsAreBlocks() {
        answers("<think>Hm</think>", CALL[0], CALL[1], CALL[2], CALL[3]);

        JsonNode body = json(post("{" + HI + ",\"tools\":[" + WEATHER + "]}"));

        assertThat(body.path("stop_reason").stringValue()).isEqualTo("tool_use");
        JsonNode content = body.path("content");
        assertThat(content.get(0).path("type").stringValue()).isEqualTo("thinking");
        assertThat(content.get(0).path("thinking").stringValue()).isEqualTo("Hm");
        assertThat(content.get(1).path("text").stringValue().strip()).isEqualTo("Sure.");
        assertThat(content.get(2).path("type").stringValue()).isEqualTo("tool_use");
        assertThat(content.get(2).path("input").path("city").stringValue()).isEqualTo("Rome");
    }

    @Test
    void aStreamTellsOfEveryBlockFromItsBeginningToItsEnd() {
        answers(THOUGHT_AND_ANSWER);

        SseEvents events = SseEvents.of(post("{" + HI + ",\"stream\":true}"));

        assertThat(events.names()).filteredOn(name -> !name.endsWith("block_delta")).containsExactly("message_start", "content_block_start",
                "content_block_stop", "content_block_start", "content_block_stop", "message_delta", "message_stop");
        assertThat(events.bodies()).extracting(body -> body.path("type").stringValue()).containsExactlyElementsOf(events.names());
        assertThat(events.joined("content_block_delta", "delta", "thinking")).isEqualTo("I wonder");
        assertThat(events.joined("content_block_delta", "delta", "text")).isEqualTo("Hello");
        assertThat(events.first("message_start").path("message").path("usage").path("input_tokens").intValue()).isPositive();
        JsonNode delta = events.first("message_delta");
        assertThat(delta.path("delta").path("stop_reason").stringValue()).isEqualTo("end_turn");
        assertThat(delta.path("usage").path("output_tokens").intValue()).isEqualTo(4);
    }

    @Test
    void theInputOfACallIsStreamedAsJsonText() {
        answers(CALL);

        SseEvents events = SseEvents.of(post("{" + HI + ",\"stream\":true,\"tools\":[" + WEATHER + "]}"));

        assertThat(events.joined("content_block_delta", "delta", "partial_json").replace(" ", "")).isEqualTo("{\"city\":\"Rome\"}");
        assertThat(events.bodies()).filteredOn(body -> body.path("type").stringValue().equals("content_block_start"))
                .extracting(body -> body.path("index").intValue() + " " + body.path("content_block").path("type").stringValue())
                .containsExactly("0 text", "1 tool_use");
        assertThat(events.first("message_delta").path("delta").path("stop_reason").stringValue()).isEqualTo("tool_use");
    }

    @Test
    void aStopSequenceIsNamed() {
        server.generator.script = request -> Flux.just(new GenerationEvent.TextDelta("Hel", 1),
                new GenerationEvent.Completed(FinishReason.STOP, new Usage(5, 1, 3), new Timings(1, 1, 1), "lo"));

        JsonNode body = json(post("{" + HI + ",\"stop_sequences\":[\"lo\"]}"));

        assertThat(server.generator.lastRequest().stop()).containsExactly("lo");
        assertThat(body.path("stop_reason").stringValue()).isEqualTo("stop_sequence");
        assertThat(body.path("stop_sequence").stringValue()).isEqualTo("lo");
        assertThat(body.path("usage").path("input_tokens").intValue()).isEqualTo(2);
        assertThat(body.path("usage").path("cache_read_input_tokens").intValue()).isEqualTo(3);
    }

    @Test
    void anAnswerThatIsCutOffSaysSo() {
        server.generator.script = request -> Flux.just(new GenerationEvent.TextDelta("Hel", 1),
                new GenerationEvent.Completed(FinishReason.LENGTH, new Usage(5, 1, 0), new Timings(1, 1, 1)));

        assertThat(json(post("{" + HI + "}")).path("stop_reason").stringValue()).isEqualTo("max_tokens");
    }

    @Test
    void thinkingIsSwitchedByTheTemplate() {
        post("{" + HI + ",\"thinking\":{\"type\":\"disabled\"}}");
        assertThat(server.lastPrompt()).endsWith("<think>\n\n</think>\n\n");

        post("{" + HI + ",\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":1024}}");
        assertThat(server.lastPrompt()).endsWith("assistant\n");
    }

    @Test
    void hiddenThoughtsAreNotSent() {
        answers(THOUGHT_AND_ANSWER);

        HttpResponse<String> response = post("{" + HI + ",\"stream\":true,\"thinking\":{\"type\":\"adaptive\",\"display\":\"omitted\"}}");

        assertThat(response.body()).contains("\"thinking\"").doesNotContain("wonder");
    }

    @Test
    void aConversationWithToolsIsRendered() {
        HttpResponse<String> response = post(
                "{\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"A\","
                        + "\"cache_control\":{\"type\":\"ephemeral\"}},{\"type\":\"text\",\"text\":\"B\"}]},{\"role\":\"assistant\",\"content\":["
                        + "{\"type\":\"thinking\",\"thinking\":\"Hm\",\"signature\":\"s\"},{\"type\":\"text\",\"text\":\"Let me see\"},"
                        + "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"weather\",\"input\":{\"city\":\"Rome\"}}]},{\"role\":\"user\",\"content\":["
                        + "{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":[{\"type\":\"text\",\"text\":\"no answer\"}],\"is_error\":true},"
                        + "{\"type\":\"text\",\"text\":\"Go on\"}]}],\"tools\":[" + WEATHER + "]}");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(server.lastPrompt()).contains("user\nA\nB<|im_end|>", "<think>Hm</think>Let me see<tool_call>", "Rome",
                "tool\nError: no answer<|im_end|>", "user\nGo on<|im_end|>");
    }

    @Test
    void toolChoiceIsTranslated() {
        HttpResponse<String> response = post(
                "{" + HI + ",\"tools\":[" + WEATHER + "],\"tool_choice\":{\"type\":\"tool\",\"name\":\"weather\","
                        + "\"disable_parallel_tool_use\":true}}");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(server.generator.lastRequest().constraint()).as("a forced call").isNotNull();
    }

    @Test
    void aSchemaBindsTheAnswer() {
        HttpResponse<String> response = post("{" + HI
                + ",\"output_config\":{\"format\":{\"type\":\"json_schema\",\"schema\":{\"type\":\"object\"}}}}");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(server.generator.lastRequest().constraint()).isNotNull();
    }

    @Test
    void tokensAreCountedAsTheyWouldBeUsed() {
        int counted = json(server.post("/v1/messages/count_tokens",
                "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"tools\":[" + WEATHER + "]}")).path("input_tokens").intValue();
        post("{" + HI + ",\"tools\":[" + WEATHER + "]}");

        assertThat(counted).isEqualTo(server.generator.lastRequest().prompt().length);
    }

    @Test
    void aFailureInMidStreamIsAnEvent() {
        server.generator.script = request -> Flux.concat(Flux.just(new GenerationEvent.TextDelta("Hel", 1)),
                Flux.error(new UnavailableException("The engine has stopped")));

        SseEvents events = SseEvents.of(post("{" + HI + ",\"stream\":true}"));

        assertThat(events.names().getLast()).isEqualTo("error");
        assertThat(events.last().path("type").stringValue()).isEqualTo("error");
        assertThat(events.last().path("error").path("type").stringValue()).isEqualTo("overloaded_error");
    }

    @Test
    void aFailureBeforeTheFirstEventHasARealStatus() {
        server.generator.script = request -> Flux.error(new UnavailableException("The engine has stopped"));

        HttpResponse<String> response = post("{" + HI + ",\"stream\":true}");

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(error(response).path("type").stringValue()).isEqualTo("overloaded_error");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}|max_tokens is required",
        "{\"max_tokens\":0,\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}|max_tokens must be at least 1",
        "{\"max_tokens\":1}|messages is required",
        "{\"max_tokens\":1,\"messages\":[]}|at least one message",
        "{\"max_tokens\":1,\"messages\":\"x\"}|messages must be an array",
        "{\"max_tokens\":1,\"messages\":[{\"role\":\"tool\",\"content\":\"x\"}]}|messages[0].role must be user",
        "{\"max_tokens\":1,\"messages\":[{\"role\":\"user\"}]}|messages[0].content is required",
        "{\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":5}]}|messages[0].content must be a string or an array",
        "{\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{}}]}]}|messages[0].content[0].type",
        "{\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":\"x\"},{\"role\":\"assistant\",\"content\":\"y\"}]}|can't be continued",
        "{\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t9\"}]}]}|'t9' is the id of no tool call",
        "{\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"b\",\"input\":{}}]}]}|role assistant",
        "{HI,\"tools\":[{\"name\":\"f\"}]}|tools[0].input_schema is required",
        "{HI,\"tools\":[{\"type\":\"web_search_20250305\",\"name\":\"web_search\"}]}|got 'web_search_20250305'",
        "{HI,\"tool_choice\":{\"type\":\"some\"}}|tool_choice.type must be auto",
        "{HI,\"thinking\":{\"type\":\"maybe\"}}|thinking.type must be enabled",
        "{HI,\"stop_sequences\":[\"\"]}|stop_sequences[0] must be 1 to",
        "{HI,\"temperature\":-1}|temperature must be between",
        "{HI,\"mcp_servers\":[{\"url\":\"x\"}]}|mcp_servers is not supported",
        "{HI,\"container\":\"c\"}|container is not supported",
        "{HI,\"speed\":\"fast\"}|speed must be standard",
        "{HI,\"max_token\":1}|max_token is not known here",
        "{HI,\"system\":[{\"type\":\"image\"}]}|system[0].type must be text",
        "{|not valid JSON"})
    void whatCannotBeHonouredIsNamedAndTheNextRequestWorks(String body, String expected) {
        HttpResponse<String> response = post(body.replace("HI", HI));

        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(json(response).path("type").stringValue()).isEqualTo("error");
        assertThat(error(response).path("type").stringValue()).isEqualTo("invalid_request_error");
        assertThat(error(response).path("message").stringValue()).contains(expected);
        assertThat(json(response).path("request_id").stringValue()).isNotEmpty();
        assertThat(post("{" + HI + "}").statusCode()).isEqualTo(200);
    }

    @Test
    void anotherModelIs404() {
        HttpResponse<String> response = post("{" + HI + ",\"model\":\"other\"}");

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(error(response).path("type").stringValue()).isEqualTo("not_found_error");
    }

    @Test
    void whatAnthropicSendsWithoutAnEffectHereIsAccepted() {
        HttpResponse<String> response = post(
                "{" + HI + ",\"metadata\":{\"user_id\":\"u\"},\"service_tier\":\"auto\",\"speed\":\"standard\","
                        + "\"cache_control\":{\"type\":\"ephemeral\"},\"mcp_servers\":[],\"container\":null}");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    @Test
    void controlTokensInABlockAreText() {
        post("{\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"<|im_end|>\"}]}");
        int spelt = server.generator.lastRequest().prompt().length;
        post("{\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}");

        assertThat(spelt).as("more tokens than one").isGreaterThan(server.generator.lastRequest().prompt().length + 3);
    }

    private static void answers(String... deltas) {
        server.generator.script = request -> ScriptedGenerator.answer(request, deltas);
    }

    private static HttpResponse<String> post(String body) {
        return server.post("/v1/messages", body);
    }
}

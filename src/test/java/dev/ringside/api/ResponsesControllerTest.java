package dev.ringside.api;

import static dev.ringside.api.ApiServer.error;
import static dev.ringside.api.ApiServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.FinishReason;
import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.Timings;
import dev.ringside.engine.Usage;
import dev.ringside.serving.UnavailableException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import tools.jackson.databind.JsonNode;

class ResponsesControllerTest {

    private static final String WEATHER = "{\"type\":\"function\",\"name\":\"weather\",\"description\":\"d\","
            + "\"parameters\":{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}}";
    private static final String[] THOUGHT_AND_ANSWER = {"<think>I w", "onder</think>", "Hel", "lo"};
    private static final String[] CALL = {"<tool_call>{\"name\": \"weather\", ", "\"arguments\": {\"city\": \"Rome\"}}", "</tool_call>"};

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
    void aStringIsAnsweredWithOneMessage() {
        HttpResponse<String> response = post("{\"input\":\"Hi\",\"instructions\":\"Be brief\",\"metadata\":{\"k\":\"v\"}}");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        JsonNode body = json(response);
        assertThat(body.path("object").stringValue()).isEqualTo("response");
        assertThat(body.path("id").stringValue()).startsWith("resp_");
        assertThat(body.path("status").stringValue()).isEqualTo("completed");
        assertThat(body.path("metadata").path("k").stringValue()).isEqualTo("v");
        assertThat(body.path("output")).hasSize(1);
        JsonNode message = body.path("output").get(0);
        assertThat(message.path("type").stringValue()).isEqualTo("message");
        assertThat(message.path("role").stringValue()).isEqualTo("assistant");
        assertThat(message.path("content").get(0).path("type").stringValue()).isEqualTo("output_text");
        assertThat(message.path("content").get(0).path("text").stringValue()).isEqualTo("Hello world");
        assertThat(body.path("usage").path("output_tokens").intValue()).isEqualTo(2);
        assertThat(body.path("error").isNull()).isTrue();
        assertThat(server.lastPrompt())
                .isEqualTo("<|im_start|>system\nBe brief<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    }

    @Test
    void reasoningAndCallsAreItemsOfTheirOwn() {
        answers("<think>Hm</think>", CALL[0], CALL[1], CALL[2]);

        JsonNode output = json(post("{\"input\":\"Hi\",\"tools\":[" + WEATHER + "]}")).path("output");

        assertThat(output.get(0).path("type").stringValue()).isEqualTo("reasoning");
        assertThat(output.get(0).path("content").get(0).path("text").stringValue()).isEqualTo("Hm");
        JsonNode call = output.get(output.size() - 1);
        assertThat(call.path("type").stringValue()).isEqualTo("function_call");
        assertThat(call.path("name").stringValue()).isEqualTo("weather");
        assertThat(call.path("call_id").stringValue()).startsWith("call_");
        assertThat(call.path("arguments").stringValue().replace(" ", "")).isEqualTo("{\"city\":\"Rome\"}");
    }

    @Test
    void aStreamTellsOfEveryItemFromItsBeginningToItsEnd() {
        answers(THOUGHT_AND_ANSWER);

        HttpResponse<String> response = post("{\"input\":\"Hi\",\"stream\":true}");
        SseEvents events = SseEvents.of(response);

        assertThat(response.headers().firstValue("content-type").orElse("")).startsWith("text/event-stream");
        assertThat(events.names()).filteredOn(name -> !name.endsWith(".delta")).containsExactly("response.created", "response.in_progress",
                "response.output_item.added", "response.content_part.added", "response.reasoning_text.done", "response.content_part.done",
                "response.output_item.done", "response.output_item.added", "response.content_part.added", "response.output_text.done",
                "response.content_part.done", "response.output_item.done", "response.completed");
        assertThat(events.joined("response.reasoning_text.delta", "delta")).isEqualTo("I wonder");
        assertThat(events.joined("response.output_text.delta", "delta")).isEqualTo("Hello");
        assertThat(events.first("response.output_text.done").path("text").stringValue()).isEqualTo("Hello");
        assertThat(events.last().path("response").path("output")).hasSize(2);
        assertThat(events.last().path("response").path("usage").path("output_tokens_details").path("reasoning_tokens").intValue())
                .isPositive();
    }

    @Test
    void eventsAreNumberedAndCarryTheirNameAsType() {
        SseEvents events = SseEvents.of(post("{\"input\":\"Hi\",\"stream\":true}"));

        assertThat(events.bodies()).extracting(body -> body.path("sequence_number").intValue())
                .containsExactlyElementsOf(IntStream.range(0, events.bodies().size()).boxed().toList());
        assertThat(events.bodies()).extracting(body -> body.path("type").stringValue()).containsExactlyElementsOf(events.names());
    }

    @Test
    void aCallIsStreamedWithItsArguments() {
        answers(CALL);

        SseEvents events = SseEvents.of(post("{\"input\":\"Hi\",\"stream\":true,\"tools\":[" + WEATHER + "]}"));

        JsonNode added = events.first("response.output_item.added").path("item");
        assertThat(added.path("type").stringValue()).isEqualTo("function_call");
        assertThat(added.path("name").stringValue()).isEqualTo("weather");
        JsonNode done = events.first("response.function_call_arguments.done");
        assertThat(done.path("name").stringValue()).isEqualTo("weather");
        assertThat(events.joined("response.function_call_arguments.delta", "delta")).isEqualTo(done.path("arguments").stringValue())
                .contains("Rome");
        assertThat(done.path("item_id").stringValue()).isEqualTo(added.path("id").stringValue());
        assertThat(events.names().getLast()).isEqualTo("response.completed");
    }

    @Test
    void anAnswerThatIsCutOffIsIncomplete() {
        server.generator.script = request -> Flux.just(new GenerationEvent.TextDelta("Hel", 1),
                new GenerationEvent.Completed(FinishReason.LENGTH, new Usage(5, 1, 0), new Timings(1, 1, 1)));

        JsonNode body = json(post("{\"input\":\"Hi\",\"max_output_tokens\":1}"));
        SseEvents events = SseEvents.of(post("{\"input\":\"Hi\",\"max_output_tokens\":1,\"stream\":true}"));

        assertThat(body.path("status").stringValue()).isEqualTo("incomplete");
        assertThat(body.path("incomplete_details").path("reason").stringValue()).isEqualTo("max_output_tokens");
        assertThat(body.path("output").get(0).path("status").stringValue()).isEqualTo("incomplete");
        assertThat(events.names().getLast()).isEqualTo("response.incomplete");
        assertThat(server.generator.lastRequest().maxTokens()).isEqualTo(1);
    }

    @Test
    void aFailureInMidStreamIsAnEvent() {
        server.generator.script = request -> Flux.concat(Flux.just(new GenerationEvent.TextDelta("Hel", 1)),
                Flux.error(new UnavailableException("The engine has stopped")));

        SseEvents events = SseEvents.of(post("{\"input\":\"Hi\",\"stream\":true}"));

        assertThat(events.names().getLast()).isEqualTo("response.failed");
        assertThat(events.last().path("response").path("status").stringValue()).isEqualTo("failed");
        assertThat(events.last().path("response").path("error").path("code").stringValue()).isEqualTo("server_error");
    }

    @Test
    void aFailureBeforeTheFirstEventHasARealStatus() {
        server.generator.script = request -> Flux.error(new UnavailableException("The engine has stopped"));

        assertThat(post("{\"input\":\"Hi\",\"stream\":true}").statusCode()).isEqualTo(503);
        assertThat(post("{\"input\":\"Hi\"}").statusCode()).isEqualTo(503);
    }

    @Test
    void aConversationGoesOnById() {
        answers(THOUGHT_AND_ANSWER);
        String first = json(post("{\"input\":\"One\",\"instructions\":\"Be brief\"}")).path("id").stringValue();
        answers("Second");

        JsonNode second = json(post("{\"input\":\"Two\",\"previous_response_id\":\"" + first + "\"}"));

        assertThat(second.path("previous_response_id").stringValue()).isEqualTo(first);
        assertThat(server.lastPrompt()).as("instructions are not carried over").isEqualTo("<|im_start|>user\nOne<|im_end|>\n"
                + "<|im_start|>assistant\n<think>I wonder</think>Hello<|im_end|>\n<|im_start|>user\nTwo<|im_end|>\n<|im_start|>assistant\n");

        post("{\"input\":\"Three\",\"previous_response_id\":\"" + second.path("id").stringValue() + "\",\"stream\":true}");

        assertThat(server.lastPrompt()).contains("One", "Hello", "Two", "Second", "Three");
    }

    @Test
    void aToolsOutputGoesBackByIdOfItsCall() {
        answers(CALL);
        JsonNode first = json(post("{\"input\":\"Weather?\",\"tools\":[" + WEATHER + "]}"));
        String callId = first.path("output").get(0).path("call_id").stringValue();
        answers("Sunny");

        HttpResponse<String> second = post("{\"previous_response_id\":\"" + first.path("id").stringValue() + "\",\"tools\":[" + WEATHER
                + "],\"input\":[{\"type\":\"function_call_output\",\"call_id\":\"" + callId + "\",\"output\":\"sun\"}]}");

        assertThat(second.statusCode()).as(second.body()).isEqualTo(200);
        assertThat(server.lastPrompt()).contains("<tool_call>", "Rome", "<|im_start|>tool\nsun<|im_end|>");
    }

    @Test
    void theWholeConversationCanBeSentAsItems() {
        HttpResponse<String> response = post("{\"input\":[{\"role\":\"developer\",\"content\":\"D\"},{\"role\":\"user\",\"content\":"
                + "[{\"type\":\"input_text\",\"text\":\"One\"}]},{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"content\":"
                + "[{\"type\":\"reasoning_text\",\"text\":\"Hm\"}]},{\"type\":\"message\",\"id\":\"msg_1\",\"role\":\"assistant\",\"status\":"
                + "\"completed\",\"content\":[{\"type\":\"output_text\",\"text\":\"Let me see\",\"annotations\":[]}]},"
                + "{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"weather\",\"arguments\":\"{}\"},"
                + "{\"type\":\"function_call_output\",\"call_id\":\"c1\",\"output\":[{\"type\":\"input_text\",\"text\":\"sun\"}]},"
                + "{\"role\":\"user\",\"content\":\"And?\"}],\"tools\":[" + WEATHER + "]}");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(server.lastPrompt()).contains("<think>Hm</think>Let me see<tool_call>", "tool\nsun", "user\nAnd?");
    }

    @Test
    void anItemCanBeReferredToByItsId() {
        JsonNode first = json(post("{\"input\":\"One\"}"));
        String item = first.path("output").get(0).path("id").stringValue();

        HttpResponse<String> response = post(
                "{\"input\":[{\"role\":\"user\",\"content\":\"One\"},{\"type\":\"item_reference\",\"id\":\"" + item
                        + "\"},{\"role\":\"user\",\"content\":\"Two\"}]}");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(server.lastPrompt()).contains("assistant\nHello world<|im_end|>\n<|im_start|>user\nTwo");
    }

    @Test
    void aStoredResponseCanBeReadAndDeleted() {
        JsonNode created = json(post("{\"input\":\"Hi\"}"));
        String path = "/v1/responses/" + created.path("id").stringValue();

        assertThat(json(server.get(path))).isEqualTo(created);
        assertThat(json(server.get(path + "/input_items")).path("data").get(0).path("content").get(0).path("text").stringValue())
                .isEqualTo("Hi");
        assertThat(json(delete(path)).path("deleted").booleanValue()).isTrue();
        assertThat(delete(path).statusCode()).isEqualTo(404);
        assertThat(error(server.get(path)).path("code").stringValue()).isEqualTo("response_not_found");
    }

    @Test
    void aStreamedResponseIsStoredBeforeItsLastEvent() {
        SseEvents events = SseEvents.of(post("{\"input\":\"Hi\",\"stream\":true}"));

        JsonNode last = events.last().path("response");
        assertThat(json(server.get("/v1/responses/" + last.path("id").stringValue()))).isEqualTo(last);
    }

    @Test
    void whatIsNotToBeStoredIsNot() {
        JsonNode created = json(post("{\"input\":\"Hi\",\"store\":false}"));

        assertThat(created.path("store").booleanValue()).isFalse();
        assertThat(server.get("/v1/responses/" + created.path("id").stringValue()).statusCode()).isEqualTo(404);
    }

    @Test
    void nobodySeesTheResponsesOfAnotherKey() {
        try (ApiServer guarded = ApiServer.start(settings -> ApiServer.withKeys(settings, "alice", "bob"))) {
            String id = json(guarded.send(as("alice", guarded, "/v1/responses").header("content-type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"input\":\"Hi\"}")))).path("id").stringValue();

            assertThat(guarded.send(as("bob", guarded, "/v1/responses/" + id)).statusCode()).isEqualTo(404);
            assertThat(guarded.send(as("bob", guarded, "/v1/responses/" + id).DELETE()).statusCode()).isEqualTo(404);
            HttpResponse<String> stolen = guarded.send(as("bob", guarded, "/v1/responses").header("content-type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"input\":\"Hi\",\"previous_response_id\":\"" + id + "\"}")));
            assertThat(error(stolen).path("code").stringValue()).isEqualTo("previous_response_not_found");
            assertThat(guarded.send(as("alice", guarded, "/v1/responses/" + id)).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void allowedToolsAreTheOnlyOnesTheModelIsToldOf() {
        String other = WEATHER.replace("weather", "forecast");

        HttpResponse<String> response = post("{\"input\":\"Hi\",\"tools\":[" + WEATHER + "," + other
                + "],\"tool_choice\":{\"type\":\"allowed_tools\",\"mode\":\"auto\",\"tools\":[{\"type\":\"function\",\"name\":\"forecast\"}]}}");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(server.lastPrompt()).contains("forecast").doesNotContain("\"weather\"");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "{}|input|required",
        "{\"input\":7}|input|a string or an array of items",
        "{\"input\":[]}|input|at least one",
        "{\"input\":[7]}|input[0]|an object",
        "{\"input\":[{}]}|input[0].type|required",
        "{\"input\":[{\"type\":\"web_search_call\",\"id\":\"x\"}]}|input[0].type|no built-in tools",
        "{\"input\":[{\"role\":\"robot\",\"content\":\"x\"}]}|input[0].role|got 'robot'",
        "{\"input\":[{\"role\":\"user\"}]}|input[0].content|required",
        "{\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_image\",\"image_url\":\"x\"}]}]}|input[0].content[0].type|text only",
        "{\"input\":[{\"type\":\"function_call_output\",\"call_id\":\"c9\",\"output\":\"x\"}]}|input[0].call_id|no tool call before it",
        "{\"input\":[{\"type\":\"item_reference\",\"id\":\"msg_9\"}]}|input[0].id|send the item itself",
        "{\"input\":\"x\",\"tools\":[{\"type\":\"web_search\"}]}|tools[0].type|got 'web_search'",
        "{\"input\":\"x\",\"tools\":[{\"type\":\"function\"}]}|tools[0].name|required",
        "{\"input\":\"x\",\"tools\":[{\"type\":\"function\",\"name\":\"f\",\"defer_loading\":true}]}|tools[0].defer_loading|not known here",
        "{\"input\":\"x\",\"tool_choice\":{\"type\":\"mcp\"}}|tool_choice.type|function or allowed_tools",
        "{\"input\":\"x\",\"tool_choice\":5}|tool_choice|a string",
        "{\"input\":\"x\",\"text\":{\"format\":{\"type\":\"json_schema\",\"name\":\"n\"}}}|text.format.schema|required",
        "{\"input\":\"x\",\"previous_response_id\":\"resp_9\"}|previous_response_id|never stored",
        "{\"input\":\"x\",\"max_output_tokens\":0}|max_output_tokens|at least 1",
        "{\"input\":\"x\",\"temperature\":9}|temperature|between 0",
        "{\"input\":\"x\",\"background\":true}|background|not supported",
        "{\"input\":\"x\",\"conversation\":\"conv_1\"}|conversation|previous_response_id",
        "{\"input\":\"x\",\"truncation\":\"auto\"}|truncation|disabled",
        "{\"input\":\"x\",\"include\":[\"file_search_call.results\"]}|include[0]|nothing else to include",
        "{\"input\":\"x\",\"top_logprobs\":3}|top_logprobs|/v1/chat/completions",
        "{\"input\":\"x\",\"metadata\":{\"a\":1}}|metadata.a|a string",
        "{\"input\":\"x\",\"temperatur\":1}|temperatur|known are",
        "{\"input\":\"x\",\"stream\":\"yes\"}|stream|true or false",
        "{\"input\":\"a\\ud800\"}|input|surrogate"})
    void whatCannotBeHonouredIsNamedAndTheNextRequestWorks(String body, String param, String expected) {
        HttpResponse<String> response = post(body);

        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(error(response).path("param").asString("")).as(response.body()).isEqualTo(param);
        assertThat(error(response).path("message").stringValue()).contains(expected);
        assertThat(post("{\"input\":\"Hi\"}").statusCode()).isEqualTo(200);
    }

    @Test
    void whatOpenAiSendsWithoutAnEffectHereIsAccepted() {
        HttpResponse<String> response = post("{\"input\":\"Hi\",\"user\":\"u\",\"safety_identifier\":\"s\",\"prompt_cache_key\":\"k\","
                + "\"prompt_cache_retention\":\"24h\",\"include\":[\"reasoning.encrypted_content\"],\"background\":false,\"top_logprobs\":0,"
                + "\"stream_options\":{\"include_obfuscation\":false},\"truncation\":\"disabled\",\"text\":{\"verbosity\":\"low\","
                + "\"format\":{\"type\":\"text\"}},\"reasoning\":{\"summary\":\"auto\"},\"conversation\":null}");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }

    @Test
    void aSchemaBindsTheAnswer() {
        post("{\"input\":\"Hi\",\"text\":{\"format\":{\"type\":\"json_schema\",\"name\":\"n\",\"schema\":{\"type\":\"object\"}}}}");

        assertThat(server.generator.lastRequest().constraint()).isNotNull();
    }

    private static void answers(String... deltas) {
        server.generator.script = request -> ScriptedGenerator.answer(request, deltas);
    }

    private static HttpResponse<String> post(String body) {
        return server.post("/v1/responses", body);
    }

    private static HttpResponse<String> delete(String path) {
        return server.send(HttpRequest.newBuilder(server.uri(path)).DELETE());
    }

    private static HttpRequest.Builder as(String key, ApiServer to, String path) {
        return HttpRequest.newBuilder(to.uri(path)).header("authorization", "Bearer " + key);
    }
}

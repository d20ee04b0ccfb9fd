package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.ResponseFormatJsonSchema;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import com.openai.models.chat.completions.ChatCompletionNamedToolChoice;
import com.openai.models.chat.completions.ChatCompletionToolChoiceOption;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.ToolChoice;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import dev.langchain4j.model.chat.request.json.JsonStringSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import dev.langchain4j.model.output.FinishReason;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What applications do with widespread clients, against the built-in model. */
@DemoServer
class ChatClientsTest {

    private static final String MODEL = "ringside-demo";
    private static final Map<String, Object> CITY = Map.of("type", "object", "properties",
            new TreeMap<>(Map.of("city", Map.of("type", "string", "maxLength", 12), "days",
                    Map.of("type", "integer", "maximum", 9, "minimum", 1))),
            "required", List.of("city", "days"), "additionalProperties", false);

    @LocalServerPort
    int port;

    private HttpCalls http;

    @BeforeEach
    void open() {
        http = new HttpCalls(port);
    }

    @AfterEach
    void close() {
        http.close();
    }

    @Test
    void openAiCallsATool() {
        ChatCompletion answer = openAi().chat().completions().create(weather().build());

        assertThat(answer.choices().getFirst().finishReason()).isEqualTo(ChatCompletion.Choice.FinishReason.TOOL_CALLS);
        ChatCompletionMessageFunctionToolCall call = answer.choices().getFirst().message().toolCalls().orElseThrow().getFirst()
                .asFunction();
        assertThat(call.id()).startsWith("call_");
        assertThat(call.function().name()).isEqualTo("weather");
        check(call.function().arguments());
    }

    @Test
    void openAiGivesTheResultOfAToolBack() {
        ChatCompletion asked = openAi().chat().completions().create(weather().build());
        ChatCompletionMessageFunctionToolCall call = asked.choices().getFirst().message().toolCalls().orElseThrow().getFirst().asFunction();

        ChatCompletion answer = openAi().chat().completions().create(weather().toolChoice(ChatCompletionToolChoiceOption.Auto.NONE)
                .addMessage(asked.choices().getFirst().message())
                .addMessage(ChatCompletionToolMessageParam.builder().toolCallId(call.id()).content("3 degrees").build())
                .maxCompletionTokens(20).build());

        assertThat(answer.choices().getFirst().message().toolCalls()).isEmpty();
        assertThat(answer.usage().orElseThrow().promptTokens()).isGreaterThan(asked.usage().orElseThrow().promptTokens() / 2);
    }

    @Test
    void openAiStreamsATool() {
        StringBuilder arguments = new StringBuilder();
        List<String> names = new ArrayList<>();
        List<ChatCompletionChunk.Choice.FinishReason> reasons = new ArrayList<>();
        try (StreamResponse<ChatCompletionChunk> stream = openAi().chat().completions().createStreaming(weather().build())) {
            stream.stream().flatMap(chunk -> chunk.choices().stream()).forEach(choice -> {
                choice.finishReason().ifPresent(reasons::add);
                choice.delta().toolCalls().ifPresent(calls -> calls.forEach(call -> {
                    assertThat(call.index()).isZero();
                    call.function().flatMap(ChatCompletionChunk.Choice.Delta.ToolCall.Function::name).ifPresent(names::add);
                    call.function().flatMap(ChatCompletionChunk.Choice.Delta.ToolCall.Function::arguments).ifPresent(arguments::append);
                }));
            });
        }

        assertThat(names).containsExactly("weather");
        check(arguments.toString());
        assertThat(reasons).containsExactly(ChatCompletionChunk.Choice.FinishReason.TOOL_CALLS);
    }

    @Test
    void openAiGetsJsonThatFollowsItsSchema() {
        ResponseFormatJsonSchema.JsonSchema.Schema.Builder schema = ResponseFormatJsonSchema.JsonSchema.Schema.builder();
        CITY.forEach((keyword, value) -> schema.putAdditionalProperty(keyword, JsonValue.from(value)));

        ChatCompletion answer = openAi().chat().completions().create(question("Name a city.")
                .responseFormat(ResponseFormatJsonSchema.builder().jsonSchema(
                        ResponseFormatJsonSchema.JsonSchema.builder().name("city").strict(true).schema(schema.build()).build()).build())
                .build());

        check(answer.choices().getFirst().message().content().orElseThrow());
        assertThat(answer.choices().getFirst().finishReason()).isEqualTo(ChatCompletion.Choice.FinishReason.STOP);
    }

    @Test
    void openAiGetsAsManyProbabilitiesAsTokens() {
        ChatCompletion answer = openAi().chat().completions()
                .create(question("What does courage mean?").logprobs(true).topLogprobs(3).maxCompletionTokens(12).build());

        assertThat(answer.choices().getFirst().logprobs().orElseThrow().content().orElseThrow())
                .hasSize((int) answer.usage().orElseThrow().completionTokens())
                .allSatisfy(token -> {
                    assertThat(token.topLogprobs()).hasSize(3);
                    assertThat(token.topLogprobs().getFirst().token()).as("greedy").isEqualTo(token.token());
                    assertThat(token.logprob()).isLessThanOrEqualTo(0);
                    assertThat(new String(bytes(token.bytes().orElseThrow()), StandardCharsets.UTF_8)).isEqualTo(token.token());
                });
    }

    @Test
    void openAiLearnsWhichKeywordOfASchemaIsNotSupported() {
        FunctionDefinition function = FunctionDefinition.builder().name("f").strict(true).parameters(FunctionParameters.builder()
                .putAdditionalProperty("type", JsonValue.from("object"))
                .putAdditionalProperty("frobnicate", JsonValue.from(1)).build()).build();

        assertThatThrownBy(() -> openAi().chat().completions().create(question("Hi").addFunctionTool(function).build()))
                .isInstanceOf(BadRequestException.class).hasMessageContaining("frobnicate");
    }

    @Test
    void anAbandonedOpenAiStreamLeavesTheScheduler() {
        try (StreamResponse<ChatCompletionChunk> stream = openAi().chat().completions()
                .createStreaming(question("Tell me a long story.").temperature(1).build())) {
            assertThat(stream.stream().findFirst()).isPresent();
        }

        await().atMost(Duration.ofSeconds(30)).until(() -> http.json("/actuator/scheduler").path("active").intValue() == 0);
    }

    @Test
    void langChainChats() {
        ChatResponse answer = langChain().chat(ChatRequest.builder().messages(UserMessage.from("What does courage mean?")).build());

        assertThat(answer.aiMessage().text()).startsWith("Courage (noun) means:");
        assertThat(answer.finishReason()).isEqualTo(FinishReason.STOP);
        assertThat(answer.tokenUsage().outputTokenCount()).isPositive();
    }

    @Test
    void langChainCallsATool() {
        ChatResponse answer = langChain().chat(toolRequest());

        ToolExecutionRequest call = answer.aiMessage().toolExecutionRequests().getFirst();
        assertThat(call.name()).isEqualTo("weather");
        check(call.arguments());
        assertThat(answer.finishReason()).isEqualTo(FinishReason.TOOL_EXECUTION);
    }

    @Test
    void langChainGetsJsonThatFollowsItsSchema() {
        ChatResponse answer = langChain().chat(ChatRequest.builder().messages(UserMessage.from("Name a city."))
                .responseFormat(ResponseFormat.builder().type(ResponseFormatType.JSON)
                        .jsonSchema(JsonSchema.builder().name("city").rootElement(JsonObjectSchema.builder().addBooleanProperty("large")
                                .addEnumProperty("name", List.of("Oslo", "Rome")).required("large", "name").build()).build())
                        .build())
                .build());

        JsonNode city = JsonMapper.shared().readTree(answer.aiMessage().text());
        assertThat(city.path("large").isBoolean()).isTrue();
        assertThat(city.path("name").stringValue()).isIn("Oslo", "Rome");
    }

    @Test
    void langChainStreamsTextAndTools() throws Exception {
        Collected text = new Collected();
        langChainStream().chat(ChatRequest.builder().messages(UserMessage.from("What does courage mean?")).build(), text);
        assertThat(text.result.get(60, TimeUnit.SECONDS).aiMessage().text()).isEqualTo(text.text.toString()).startsWith("Courage");

        Collected tools = new Collected();
        langChainStream().chat(toolRequest(), tools);
        check(tools.result.get(60, TimeUnit.SECONDS).aiMessage().toolExecutionRequests().getFirst().arguments());
    }

    @Test
    void fourRequestsOfThreeChoicesFinish() {
        String body = "{\"messages\":[{\"role\":\"user\",\"content\":\"Tell me a story about a fox.\"}],\"n\":3,\"temperature\":1,\"seed\":7,"
                + "\"max_tokens\":12}";

        List<CompletableFuture<HttpResponse<String>>> together = IntStream.range(0, 4)
                .mapToObj(_ -> http.sendAsync("/v1/chat/completions", body.getBytes(StandardCharsets.UTF_8))).toList();

        List<JsonNode> choices = together.stream().map(HttpCalls::await)
                .map(response -> JsonMapper.shared().readTree(response.body()).path("choices")).toList();
        assertThat(choices).allSatisfy(each -> assertThat(each).hasSize(3));
        assertThat(choices.stream().distinct()).as("the same seed, the same three choices").hasSize(1);
    }

    @Test
    void theNextTurnOfAConversationPaysForItsOwnTokensOnly() {
        String system = "You are a patient teacher. " + "Explain every word with an example and stay friendly. ".repeat(12);
        JsonNode first = turn(
                "{\"role\":\"system\",\"content\":\"" + system + "\"},{\"role\":\"user\",\"content\":\"What does courage mean?\"}");
        String answer = first.path("choices").get(0).path("message").path("content").toString();

        JsonNode second = turn(
                "{\"role\":\"system\",\"content\":\"" + system + "\"},{\"role\":\"user\",\"content\":\"What does courage mean?\"},"
                        + "{\"role\":\"assistant\",\"content\":" + answer
                        + "},{\"role\":\"user\",\"content\":\"Thank you. What is the opposite of hot?\"}");

        int before = first.path("usage").path("total_tokens").intValue();
        int cached = second.path("usage").path("prompt_tokens_details").path("cached_tokens").intValue();
        assertThat(cached).as("tokens of the first turn: %d", before).isBetween(before - 8, before + 1);
    }

    private JsonNode turn(String messages) {
        HttpResponse<String> response = http.chat("{\"messages\":[" + messages + "],\"temperature\":0,\"max_tokens\":60}");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(response.body());
    }

    private static void check(String json) {
        JsonNode value = JsonMapper.shared().readTree(json);
        assertThat(value.propertyNames()).containsExactlyInAnyOrder("city", "days");
        assertThat(value.path("city").isString()).isTrue();
        assertThat(value.path("days").intValue()).isBetween(1, 9);
    }

    private static byte[] bytes(List<Long> values) {
        byte[] bytes = new byte[values.size()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = values.get(i).byteValue();
        }
        return bytes;
    }

    private OpenAIClient openAi() {
        return OpenAIOkHttpClient.builder().baseUrl("http://localhost:" + port + "/v1").apiKey("any").maxRetries(0).build();
    }

    private static ChatCompletionCreateParams.Builder question(String text) {
        return ChatCompletionCreateParams.builder().model(MODEL).addUserMessage(text).temperature(0);
    }

    private static ChatCompletionCreateParams.Builder weather() {
        FunctionParameters.Builder parameters = FunctionParameters.builder();
        CITY.forEach((keyword, value) -> parameters.putAdditionalProperty(keyword, JsonValue.from(value)));
        return question("What is the weather in Oslo?")
                .addFunctionTool(FunctionDefinition.builder().name("weather").strict(true).parameters(parameters.build()).build())
                .toolChoice(ChatCompletionNamedToolChoice.builder()
                        .function(ChatCompletionNamedToolChoice.Function.builder().name("weather").build()).build());
    }

    private OpenAiChatModel langChain() {
        return OpenAiChatModel.builder().baseUrl("http://localhost:" + port + "/v1").apiKey("any").modelName(MODEL).temperature(0.0)
                .maxRetries(0)
                .strictJsonSchema(true).build();
    }

    private OpenAiStreamingChatModel langChainStream() {
        return OpenAiStreamingChatModel.builder().baseUrl("http://localhost:" + port + "/v1").apiKey("any").modelName(MODEL)
                .temperature(0.0)
                .build();
    }

    private static ChatRequest toolRequest() {
        return ChatRequest.builder().messages(UserMessage.from("What is the weather in Oslo?"))
                .toolSpecifications(ToolSpecification.builder().name("weather").parameters(JsonObjectSchema.builder()
                        .addProperty("city", JsonStringSchema.builder().build())
                        .addProperty("days", JsonRawSchema.from("{\"type\":\"integer\",\"minimum\":1,\"maximum\":9}"))
                        .required("city", "days").build()).build())
                .toolChoice(ToolChoice.REQUIRED).build();
    }

    /** What a stream brought. */
    private static final class Collected implements StreamingChatResponseHandler {

        private final StringBuilder text = new StringBuilder();
        private final CompletableFuture<ChatResponse> result = new CompletableFuture<>();

        @Override
        public void onPartialResponse(String partial) {
            text.append(partial);
        }

        @Override
        public void onCompleteResponse(ChatResponse response) {
            result.complete(response);
        }

        @Override
        public void onError(Throwable error) {
            result.completeExceptionally(error);
        }
    }
}

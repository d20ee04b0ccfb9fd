package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.http.StreamResponse;
import com.openai.errors.NotFoundException;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a newcomer does first: the commands of the README against the built-in model. */
@DemoServer
class FirstLightTest {

    private static final String COURAGE = "Courage (noun) means: a quality of spirit that enables you to face danger or pain without showing fear.";
    private static final List<String> QUESTIONS = List.of("What does courage mean?", "What is 345 + 278?", "What is the opposite of hot?",
            "Who are you?", "Tom has 5 apples. He buys 3 more. How many apples does he have now?", "Name the months of the year.",
            "What day comes after Monday?", "Reverse the word table.");

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
    void theCurlOfTheReadmeStreamsAnAnswer() {
        HttpResponse<String> response = http
                .chat("{\"messages\":[{\"role\":\"user\",\"content\":\"What does courage mean?\"}],\"stream\":true,\"temperature\":0}");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type").orElseThrow()).startsWith("text/event-stream");
        assertThat(response.body().split("\n\n"))
                .allSatisfy(event -> assertThat(event).matches(each -> each.startsWith("data: ") || each.startsWith(": ")))
                .endsWith("data: [DONE]");
        assertThat(HttpCalls.text(response.body())).isEqualTo(COURAGE);
    }

    @Test
    void withoutASettingForItTheAnswerIsSampledAndStillEnds() {
        HttpResponse<String> response = http.chat("{\"messages\":[{\"role\":\"user\",\"content\":\"What is 100 - 37?\"}],\"stream\":true}");

        assertThat(response.body()).endsWith("data: [DONE]\n\n").contains("\"finish_reason\":\"stop\"");
    }

    @Test
    void eightStreamsAtOnceGiveTheTextsOfOneAfterAnother() {
        List<String> serial = QUESTIONS.stream().map(http::answer).toList();

        List<CompletableFuture<HttpResponse<String>>> together = QUESTIONS.stream()
                .map(question -> http.sendAsync("/v1/chat/completions",
                        HttpCalls.streamed(HttpCalls.question(question)).getBytes(StandardCharsets.UTF_8)))
                .toList();

        assertThat(together.stream().map(HttpCalls::await).map(HttpResponse::body).map(HttpCalls::text)).isEqualTo(serial);
        assertThat(serial).startsWith(COURAGE, "345 + 278 = 623", "The opposite of hot is cold.");
    }

    @Test
    void aSeedRepeatsASampledAnswer() {
        String body = "{\"messages\":[{\"role\":\"user\",\"content\":\"Tell me a story about a fox.\"}],\"temperature\":1,\"seed\":7,\"max_tokens\":24}";

        assertThat(content(http.chat(body))).isEqualTo(content(http.chat(body))).isNotBlank();
    }

    @Test
    void aStopStringEndsTheAnswerAndIsNotPartOfIt() {
        String body = HttpCalls.question("What does courage mean?");

        HttpResponse<String> response = http.chat(HttpCalls.streamed(body.substring(0, body.length() - 1) + ",\"stop\":\"spirit that\"}"));

        assertThat(HttpCalls.text(response.body())).isEqualTo("Courage (noun) means: a quality of ");
        assertThat(response.body()).contains("\"finish_reason\":\"stop\"");
    }

    @Test
    void maxTokensEndsTheAnswerWithLength() {
        String body = HttpCalls.question("What does courage mean?");
        HttpResponse<String> response = http.chat(body.substring(0, body.length() - 1) + ",\"max_tokens\":5}");

        JsonNode json = JsonMapper.shared().readTree(response.body());
        assertThat(json.path("choices").get(0).path("finish_reason").stringValue()).isEqualTo("length");
        assertThat(json.path("usage").path("completion_tokens").intValue()).isEqualTo(5);
    }

    @Test
    void theJavaClientOfOpenAiChats() {
        ChatCompletion answer = client().chat().completions().create(courage().build());

        assertThat(answer.choices().getFirst().message().content()).hasValue(COURAGE);
        assertThat(answer.usage().orElseThrow().completionTokens()).isGreaterThan(10);
        assertThat(answer.choices().getFirst().finishReason().toString()).isEqualTo("stop");
    }

    @Test
    void theJavaClientOfOpenAiStreams() {
        List<ChatCompletionChunk> chunks = new ArrayList<>();
        try (StreamResponse<ChatCompletionChunk> stream = client().chat().completions().createStreaming(
                courage().streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build()).build())) {
            stream.stream().forEach(chunks::add);
        }

        StringBuilder text = new StringBuilder();
        chunks.forEach(chunk -> chunk.choices().forEach(choice -> choice.delta().content().ifPresent(text::append)));
        assertThat(text.toString()).isEqualTo(COURAGE);
        assertThat(chunks.getLast().choices()).isEmpty();
        assertThat(chunks.getLast().usage().orElseThrow().promptTokens()).isGreaterThan(5);
    }

    @Test
    void theJavaClientOfOpenAiUnderstandsErrors() {
        assertThatThrownBy(() -> client().chat().completions().create(courage().model("gpt-4o").build()))
                .isInstanceOf(NotFoundException.class).hasMessageContaining("gpt-4o");
    }

    @Test
    void theModelIsListed() {
        assertThat(http.json("/v1/models").path("data").get(0).path("id").stringValue()).isEqualTo("ringside-demo");
    }

    private OpenAIClient client() {
        return OpenAIOkHttpClient.builder().baseUrl("http://localhost:" + port + "/v1").apiKey("any").maxRetries(0).build();
    }

    private static ChatCompletionCreateParams.Builder courage() {
        return ChatCompletionCreateParams.builder().model("ringside-demo").addUserMessage("What does courage mean?").temperature(0);
    }

    private static String content(HttpResponse<String> response) {
        return JsonMapper.shared().readTree(response.body()).path("choices").get(0).path("message").path("content").stringValue();
    }
}

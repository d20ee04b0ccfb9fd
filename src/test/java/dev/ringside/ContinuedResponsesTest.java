package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.http.StreamResponse;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseStreamEvent;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What goes on by id is as cheap as what goes on by text. */
@DemoServer
class ContinuedResponsesTest {

    @LocalServerPort
    private int port;

    private HttpCalls server;

    @BeforeEach
    void connect() {
        server = new HttpCalls(port);
    }

    @AfterEach
    void disconnect() {
        server.close();
    }

    @Test
    void aContinuedResponseReusesThePromptBefore() {
        String story = "Tell me about the fox of the seventh story. ".repeat(20);

        JsonNode first = post("/v1/responses", "{\"input\":\"" + story + "\",\"temperature\":0,\"max_output_tokens\":16}");
        JsonNode second = post("/v1/responses", "{\"input\":\"And the hen?\",\"temperature\":0,\"max_output_tokens\":16,"
                + "\"previous_response_id\":\"" + first.path("id").stringValue() + "\"}");

        int before = first.path("usage").path("input_tokens").intValue();
        assertThat(second.path("usage").path("input_tokens_details").path("cached_tokens").intValue()).isGreaterThan(before / 2);
        assertThat(second.path("usage").path("input_tokens").intValue()).isGreaterThan(before);
    }

    @Test
    void messagesCountWhatWasReusedApart() {
        String body = "{\"max_tokens\":8,\"temperature\":0,\"messages\":[{\"role\":\"user\",\"content\":\""
                + "Tell me about the hen of the ninth story. ".repeat(20) + "\"}]}";
        int tokens = post("/v1/messages/count_tokens", body).path("input_tokens").intValue();
        post("/v1/messages", body);

        JsonNode usage = post("/v1/messages", body).path("usage");

        assertThat(usage.path("cache_read_input_tokens").intValue()).isGreaterThan(tokens / 2);
        assertThat(usage.path("input_tokens").intValue() + usage.path("cache_read_input_tokens").intValue()).isEqualTo(tokens);
    }

    @Test
    void theJavaClientReadsResponsesAndTheirStreams() {
        OpenAIClient client = OpenAIOkHttpClient.builder().baseUrl("http://localhost:" + port + "/v1").apiKey("any").maxRetries(0).build();
        ResponseCreateParams question = ResponseCreateParams.builder().model("ringside-demo").input("What is the capital of France?")
                .temperature(0).maxOutputTokens(32).build();

        Response whole = client.responses().create(question);
        StringBuilder streamed = new StringBuilder();
        try (StreamResponse<ResponseStreamEvent> events = client.responses().createStreaming(question)) {
            events.stream().forEach(event -> event.outputTextDelta().ifPresent(delta -> streamed.append(delta.delta())));
        }

        assertThat(whole.validate().output().getFirst().asMessage().content().getFirst().asOutputText().text()).isNotEmpty()
                .isEqualTo(streamed.toString());
        assertThat(client.responses().retrieve(whole.id()).output()).isEqualTo(whole.output());
        client.close();
    }

    private JsonNode post(String path, String body) {
        HttpResponse<String> response = server.post(path, body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(response.body());
    }
}

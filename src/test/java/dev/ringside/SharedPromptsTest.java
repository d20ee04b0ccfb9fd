package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Prompts that begin alike, as clients and operators see them. */
@DemoServer
class SharedPromptsTest {

    @LocalServerPort
    private int port;

    private HttpCalls http;

    @BeforeEach
    void open() {
        http = new HttpCalls(port);
    }

    @AfterEach
    void close() {
        http.close();
    }

    /** A prompt of 600 tokens that ends with one of its own. */
    private JsonNode complete(int last) {
        String prompt = "{\"prompt\":[" + "301,".repeat(599) + last + "],\"max_tokens\":8,\"temperature\":0}";
        HttpResponse<String> response = http.post("/v1/completions", prompt);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(response.body());
    }

    private static int cached(JsonNode answer) {
        return answer.path("usage").path("prompt_tokens_details").path("cached_tokens").intValue();
    }

    private HttpResponse<String> delete(String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).DELETE().build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void whatTwoPromptsShareIsComputedOnceAndSaidSo() throws Exception {
        assertThat(delete("/actuator/checkpoints").statusCode()).isEqualTo(200);
        JsonNode before = http.json("/actuator/checkpoints");
        assertThat(before.path("entries").intValue()).isZero();

        JsonNode cold = complete(400);
        assertThat(cached(cold)).isZero();
        assertThat(cached(complete(401))).isEqualTo(576);
        JsonNode warm = complete(400);
        assertThat(cached(warm)).isEqualTo(576);
        assertThat(warm.path("choices")).isEqualTo(cold.path("choices"));

        JsonNode after = http.json("/actuator/checkpoints");
        assertThat(after.path("hits").longValue() - before.path("hits").longValue()).isEqualTo(2);
        assertThat(after.path("tokensSaved").longValue() - before.path("tokensSaved").longValue()).isEqualTo(2 * 576);
        assertThat(after.path("memoryBytes").longValue()).isPositive();
        await().atMost(Duration.ofSeconds(30)).until(() -> http.json("/actuator/checkpoints").path("bytes").longValue() == 0);

        String id = after.path("prefixes").get(0).path("id").stringValue();
        assertThat(delete("/actuator/checkpoints/" + id).body()).isEqualTo("{\"dropped\":1}");
        assertThat(delete("/actuator/checkpoints/" + id).statusCode()).isEqualTo(404);
    }
}

package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;

/** A server with keys, and its end while it is at work. */
class GuardedServerTest {

    private final HttpClient client = HttpClient.newHttpClient();
    private ReactiveWebServerApplicationContext server;

    @BeforeEach
    void start() {
        server = (ReactiveWebServerApplicationContext) SpringApplication.run(RingsideApplication.class, "--server.port=0",
                "--ringside.model.path=",
                "--ringside.gpu.backend=cpu", "--ringside.api.keys=sesame", "--spring.lifecycle.timeout-per-shutdown-phase=2s");
    }

    @AfterEach
    void stop() {
        server.close();
        client.shutdownNow();
    }

    @Test
    void onlyHealthIsOpen() throws Exception {
        assertThat(status("/actuator/health", null)).isEqualTo(200);
        assertThat(status("/actuator/health/readiness", null)).isEqualTo(200);
        assertThat(status("/actuator/experts", null)).isEqualTo(401);
        assertThat(status("/v1/models", null)).isEqualTo(401);
        assertThat(status("/v1/models", "open")).isEqualTo(401);
        assertThat(status("/v1/models", "sesame")).isEqualTo(200);
        assertThat(status("/actuator/experts", "sesame")).isEqualTo(200);
    }

    @Test
    void anAnswerThatOutlastsTheShutdownEndsWithAnErrorEvent() throws Exception {
        HttpRequest request = request("/v1/chat/completions", "sesame").header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers
                        .ofString("{\"messages\":[{\"role\":\"user\",\"content\":\"Tell me a story about a fox.\"}],"
                                + "\"logit_bias\":{\"8191\":-100,\"8189\":-100},\"stream\":true}"))
                .build();
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body(), StandardCharsets.UTF_8))) {
            assertThat(reader.readLine()).startsWith("data: ");
            CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);

            String rest = reader.lines().collect(Collectors.joining("\n"));

            assertThat(rest.substring(rest.lastIndexOf("data: "))).contains("\"error\"", "shutting down", "unavailable_error");
            assertThat(rest).doesNotContain("[DONE]");
            closed.join();
        }
    }

    private int status(String path, String key) throws Exception {
        return client.send(request(path, key).build(), HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    private HttpRequest.Builder request(String path, String key) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + server.getWebServer().getPort() + path));
        return key == null ? request : request.header("Authorization", "Bearer " + key);
    }
}

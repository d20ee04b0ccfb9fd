package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Plain HTTP to a started server. */
final class HttpCalls implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final HttpClient client = HttpClient.newHttpClient();
    private final int port;

    HttpCalls(int port) {
        this.port = port;
    }

    static String question(String text) {
        return JsonMapper.shared()
                .writeValueAsString(Map.of("messages", List.of(Map.of("role", "user", "content", text)), "temperature", 0));
    }

    static String streamed(String body) {
        return body.substring(0, body.length() - 1) + ",\"stream\":true}";
    }

    HttpResponse<String> chat(String body) {
        return post("/v1/chat/completions", body);
    }

    HttpResponse<String> post(String path, String body) {
        return await(sendAsync(path, body.getBytes(StandardCharsets.UTF_8)));
    }

    HttpResponse<String> post(String path, byte[] body) {
        return await(sendAsync(path, body));
    }

    CompletableFuture<HttpResponse<String>> sendAsync(String path, byte[] body) {
        return client.sendAsync(HttpRequest.newBuilder(uri(path)).timeout(PATIENCE).header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body)).build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) {
        try {
            return client.send(HttpRequest.newBuilder(uri(path)).timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    JsonNode json(String path) {
        HttpResponse<String> response = get(path);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(response.body());
    }

    /** The greedy answer to a question, in one piece. */
    String answer(String question) {
        HttpResponse<String> response = chat(question(question));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(response.body()).path("choices").get(0).path("message").path("content").stringValue();
    }

    /** The text of a streamed chat, put together again. */
    static String text(String stream) {
        StringBuilder text = new StringBuilder();
        for (String event : stream.lines().toList()) {
            if (event.startsWith("data: {")) {
                JsonNode choices = JsonMapper.shared().readTree(event.substring("data: ".length())).path("choices");
                if (!choices.isEmpty()) {
                    text.append(choices.get(0).path("delta").path("content").asString(""));
                }
            }
        }
        return text.toString();
    }

    static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    int port() {
        return port;
    }

    URI uri(String path) {
        return URI.create("http://localhost:" + port + path);
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}

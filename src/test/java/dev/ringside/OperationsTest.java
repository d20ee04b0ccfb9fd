package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** What operators see, and that nothing is left behind. */
@DemoServer
class OperationsTest {

    private static final String STORY = "{\"messages\":[{\"role\":\"user\",\"content\":\"Tell me a story about a fox and a golden key.\"}],"
            + "\"temperature\":0,\"logit_bias\":{\"8191\":-100,\"8189\":-100},\"max_tokens\":2000,\"stream\":true}";

    @LocalServerPort
    int port;

    private HttpCalls http;

    @BeforeEach
    void open() {
        http = new HttpCalls(port);
        // The warm-up behind the start has sequence state of its own, and its compiling makes any step slow.
        await().atMost(Duration.ofSeconds(60)).until(() -> http.json("/actuator/checkpoints").path("sequences").intValue() == 0);
    }

    @AfterEach
    void close() {
        await().atMost(Duration.ofSeconds(30)).until(() -> http.json("/actuator/scheduler").path("active").intValue() == 0);
        http.close();
    }

    @Test
    void aDisconnectInTheAnswerFreesItsPlaceWithinASecond() throws Exception {
        try (Socket socket = stream(STORY)) {
            readUntil(socket, "\"content\":\"L");
            assertThat(http.json("/actuator/scheduler").path("active").intValue()).isEqualTo(1);
            assertThat(http.json("/actuator/checkpoints").path("bytes").longValue()).isPositive();
        }

        assertFreeWithinASecond();
    }

    @Test
    void aDisconnectInThePromptFreesItsPlaceWithinASecond() throws Exception {
        // The first long prompt ever meets code that is not compiled yet; how long its steps take says nothing.
        readLongPrompt(299);
        String prompt = "{\"prompt\":[" + "300,".repeat(3999) + "300],\"stream\":true}";
        try (Socket socket = stream("/v1/completions", prompt)) {
            readUntil(socket, ": prompt ");
        }

        assertFreeWithinASecond();
    }

    @Test
    void aLongPromptShowsSignsOfLife() {
        assertThat(readLongPrompt(298)).contains(": prompt ").contains("/2000\n\n").endsWith("data: [DONE]\n\n");
    }

    @Test
    void moreRequestsThanPlacesAreToldToComeBack() {
        List<CompletableFuture<HttpResponse<String>>> requests = new ArrayList<>();
        byte[] body = "{\"messages\":[{\"role\":\"user\",\"content\":\"Name the months of the year.\"}],\"max_tokens\":30}"
                .getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 40; i++) {
            requests.add(http.sendAsync("/v1/chat/completions", body));
        }

        List<HttpResponse<String>> responses = requests.stream().map(HttpCalls::await).toList();

        assertThat(responses).filteredOn(response -> response.statusCode() == 200).hasSizeGreaterThanOrEqualTo(24);
        assertThat(responses).filteredOn(response -> response.statusCode() != 200).isNotEmpty().allSatisfy(response -> {
            assertThat(response.statusCode()).isEqualTo(429);
            assertThat(Integer.parseInt(response.headers().firstValue("retry-after").orElseThrow())).isPositive();
            assertThat(response.body()).contains("\"code\":\"queue_full\"");
        });
    }

    @Test
    void stateIsGivenBackToTheLastByte() {
        http.answer("What is 345 + 278?");

        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            JsonNode checkpoints = http.json("/actuator/checkpoints");
            assertThat(checkpoints.path("bytes").longValue()).isZero();
            assertThat(checkpoints.path("pagesUsed").longValue()).isZero();
            assertThat(checkpoints.path("sequences").intValue()).isZero();
        });
    }

    @Test
    void expertsAreCounted() {
        JsonNode before = http.json("/actuator/experts");
        http.answer("What is 345 + 278?");
        JsonNode after = http.json("/actuator/experts");

        assertThat(after.path("arena").stringValue()).isEqualTo("pinned");
        assertThat(after.path("slots").intValue()).isEqualTo(256);
        assertThat(after.path("resident").intValue()).isBetween(1, 256);
        assertThat(after.path("hits").longValue()).isGreaterThan(before.path("hits").longValue());
        assertThat(after.path("misses").longValue()).isEqualTo(after.path("resident").intValue() + after.path("evictions").longValue());
        assertThat(after.path("bytesRead").longValue()).isEqualTo(after.path("misses").longValue() * after.path("slotBytes").longValue());
        assertThat(after.path("layers").valueStream().mapToLong(layer -> layer.path("misses").longValue()).sum())
                .isEqualTo(after.path("misses").longValue());
        assertThat(http.json("/actuator/experts/3").path("layer").intValue()).isEqualTo(3);
        assertThat(http.get("/actuator/experts/99").statusCode()).isEqualTo(404);
    }

    @Test
    void healthIsUpInBothGroups() {
        assertThat(http.json("/actuator/health/liveness").path("status").stringValue()).isEqualTo("UP");
        JsonNode readiness = http.json("/actuator/health/readiness");
        assertThat(readiness.path("status").stringValue()).isEqualTo("UP");
        assertThat(readiness.path("components").propertyNames()).contains("model", "device");
    }

    @Test
    void prometheusHasTheMetersOfTheDocumentation() {
        http.answer("What is 345 + 278?");

        String scraped = http.get("/actuator/prometheus").body();
        assertThat(scraped).contains("ringside_experts_hits_total ", "ringside_experts_bytes_read_total ", "ringside_scheduler_active ",
                "ringside_checkpoints_bytes ", "ringside_tokens_prompt_total ",
                "resilience4j_bulkhead_available_concurrent_calls{name=\"admission\"");
        double generated = scraped.lines().filter(line -> line.startsWith("ringside_tokens_generated_total ")).mapToDouble(
                line -> Double.parseDouble(line.substring(line.indexOf(' ')))).sum();
        assertThat(generated).isPositive();
    }

    @Test
    void infoAndDeviceNameWhatRuns() {
        assertThat(http.json("/actuator/info").path("model").path("architecture").stringValue()).isEqualTo("qwen4exp");
        assertThat(http.json("/actuator/device").path("backend").stringValue()).isEqualTo("cpu");
    }

    /** Of one token, which no other prompt begins with: what was computed before would not be computed again. */
    private String readLongPrompt(int token) {
        return http.post("/v1/completions", "{\"prompt\":[" + (token + ",").repeat(1999) + token + "],\"stream\":true,\"max_tokens\":1}")
                .body();
    }

    private void assertFreeWithinASecond() {
        await().pollInterval(Duration.ofMillis(20)).atMost(Duration.ofSeconds(1))
                .until(() -> http.json("/actuator/scheduler").path("active").intValue() == 0);
        JsonNode checkpoints = http.json("/actuator/checkpoints");
        assertThat(checkpoints.path("bytes").longValue()).as(checkpoints.toString()).isZero();
    }

    private Socket stream(String body) throws Exception {
        return stream("/v1/chat/completions", body);
    }

    private Socket stream(String path, String body) throws Exception {
        Socket socket = new Socket("localhost", port);
        socket.setSoTimeout(60_000);
        socket.getOutputStream()
                .write(("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static void readUntil(Socket socket, String text) throws Exception {
        InputStream in = socket.getInputStream();
        StringBuilder seen = new StringBuilder();
        while (seen.indexOf(text) < 0) {
            int next = in.read();
            assertThat(next).as("the stream ended before '%s': %s", text, seen).isNotNegative();
            seen.append((char) next);
        }
    }
}

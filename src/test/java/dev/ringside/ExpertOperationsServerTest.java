package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What operators can do to the experts of a server that is at work. */
@SpringBootTest(classes = RingsideApplication.class, webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = {
    "ringside.model.path=", "ringside.gpu.backend=cpu", "ringside.experts.arena-bytes=50%", "ringside.experts.arena=device",
    "management.endpoint.experts.access=unrestricted"})
class ExpertOperationsServerTest {

    private static final List<String> QUESTIONS = List.of("Tell me a story about a fox and a golden key.",
            "Name the months of the year.", "Tell me a story about two brothers at sea.", "What does a baker do all day?");

    @TempDir
    static Path directory;

    @LocalServerPort
    int port;

    private HttpCalls http;

    @DynamicPropertySource
    static void hotList(DynamicPropertyRegistry registry) {
        registry.add("ringside.experts.hot-list-file", () -> directory.resolve("hot.txt").toString());
    }

    @BeforeEach
    void open() {
        http = new HttpCalls(port);
    }

    @AfterEach
    void close() {
        http.close();
    }

    private static byte[] request(String question) {
        return ("{\"messages\":[{\"role\":\"user\",\"content\":\"" + question
                + "\"}],\"temperature\":0,\"logit_bias\":{\"8191\":-100,\"8189\":-100},\"max_tokens\":250,\"stream\":true}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private List<CompletableFuture<HttpResponse<String>>> askAll() {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (String question : QUESTIONS) {
            answers.add(http.sendAsync("/v1/chat/completions", request(question)));
        }
        return answers;
    }

    private static List<String> texts(List<CompletableFuture<HttpResponse<String>>> answers) {
        return answers.stream().map(HttpCalls::await).map(answer -> {
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(answer.body()).endsWith("data: [DONE]\n\n");
            return HttpCalls.text(answer.body());
        }).toList();
    }

    private JsonNode change(String body) {
        HttpResponse<String> answer = http.post("/actuator/experts", body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(answer.body());
    }

    @Test
    void resizingUnderFourStreamsChangesNoText() {
        List<String> expected = texts(askAll());
        assertThat(expected).doesNotContain("");
        int least = http.json("/actuator/experts").path("minimumSlots").intValue();
        int all = http.json("/actuator/experts").path("experts").intValue();

        List<CompletableFuture<HttpResponse<String>>> running = askAll();
        int[] sizes = {least, all, least + 5, all / 2, all / 4, all - 1};
        int changes = 0;
        do {
            int size = sizes[changes++ % sizes.length];
            assertThat(change("{\"operation\":\"resize\",\"slots\":" + size + "}").path("slots").intValue()).isEqualTo(size);
            assertThat(http.json("/actuator/experts").path("resident").intValue()).isLessThanOrEqualTo(all);
        } while (changes < sizes.length || running.stream().anyMatch(each -> !each.isDone()));

        assertThat(texts(running)).isEqualTo(expected);
        assertThat(http.json("/actuator/experts").path("readFailures").longValue()).isZero();
    }

    @Test
    void trimAndTheHotListWorkWhileNothingRuns() throws Exception {
        http.answer("Name a colour.");
        assertThat(change("{\"operation\":\"trim\"}").path("slots").intValue())
                .isEqualTo(http.json("/actuator/experts").path("minimumSlots").intValue());

        JsonNode saved = JsonMapper.shared().readTree(http.post("/actuator/experts/save-hot-list", "{}").body());
        assertThat(saved.path("saved").intValue()).isPositive();
        assertThat(Files.readAllLines(directory.resolve("hot.txt"))).hasSize(saved.path("saved").intValue() + 1);
    }

    @Test
    void valuesOutOfRangeAre400WithTheRange() {
        HttpResponse<String> refused = http.post("/actuator/experts", "{\"operation\":\"resize\",\"slots\":1}");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("slots: found 1, expected slots from ");
    }
}

package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@DemoServer
@Timeout(120)
class ConsoleFeedTest {

    @LocalServerPort
    private int port;

    @Test
    void thePageIsAtTheRootAndMayLoadNothingFromElsewhere() {
        try (HttpCalls calls = new HttpCalls(port)) {
            HttpResponse<String> page = calls.get("/");
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(page.headers().firstValue("content-type")).hasValueSatisfying(type -> assertThat(type).startsWith("text/html"));
            assertThat(page.headers().firstValue("content-security-policy"))
                    .hasValueSatisfying(policy -> assertThat(policy).contains("default-src 'none'", "script-src 'self'"));
            assertThat(page.body()).contains("<title>Ringside</title>").doesNotContain("http://", "https://", "<script>", "style=");
            for (String file : List.of("main.js", "chat.js", "panels.js", "heat.js", "sse.js", "format.js", "text.js", "console.css",
                    "ring.svg")) {
                assertThat(calls.get("/console/" + file).statusCode()).as(file).isEqualTo(200);
            }
            assertThat(calls.get("/console/absent.js").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void theFeedBeginsWithTheShapeOfTheModelAndThenShowsEveryExpert() throws Exception {
        List<JsonNode> frames = frames(frame -> frame.has("tokens"));
        assertThat(frames.getFirst().get("model").stringValue()).isEqualTo("ringside-demo");
        int experts = 0;
        for (JsonNode each : frames.getFirst().get("experts")) {
            experts += each.intValue();
        }
        assertThat(frames.getFirst().get("layers").size()).isEqualTo(frames.getFirst().get("experts").size());
        assertThat(Base64.getDecoder().decode(frames.getLast().get("map").stringValue())).hasSize(experts);
        assertThat(frames.getLast().at("/scheduler/maxActive").intValue()).isPositive();
        assertThat(frames.getLast().at("/state/budget").longValue()).isPositive();
    }

    @Test
    void tokensAndUsedExpertsShowUpInTheFeed() throws Exception {
        try (HttpCalls calls = new HttpCalls(port)) {
            calls.chat(HttpCalls.question("What does courage mean?"));
            long[] first = {-1};
            List<JsonNode> frames = frames(frame -> {
                if (!frame.has("tokens")) {
                    return false;
                }
                if (first[0] < 0) {
                    first[0] = frame.at("/tokens/generated").longValue();
                    calls.chat(HttpCalls.question("What does fear mean?"));
                }
                return frame.at("/tokens/generated").longValue() > first[0] && frame.has("map");
            });
            byte[] map = Base64.getDecoder().decode(frames.getLast().get("map").stringValue());
            int hot = 0;
            for (byte each : map) {
                hot += (each & 0x3f) != 0 ? 1 : 0;
            }
            assertThat(hot).isPositive();
        }
    }

    private List<JsonNode> frames(Predicate<JsonNode> last) throws IOException, InterruptedException {
        List<JsonNode> frames = new ArrayList<>();
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<InputStream> response = client.send(
                    HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/console/feed")).build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            assertThat(response.statusCode()).isEqualTo(200);
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.startsWith("data: ")) {
                        frames.add(JsonMapper.shared().readTree(line.substring(6)));
                        if (last.test(frames.getLast())) {
                            break;
                        }
                    }
                }
            }
            client.shutdownNow();
        }
        return frames;
    }
}

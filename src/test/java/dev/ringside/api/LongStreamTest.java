package dev.ringside.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.serving.Delivery;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Streams of many tokens over a real connection: more than socket and server hold at a time, written past the codec and through it. */
class LongStreamTest {

    private static final int TOKENS = 20_000;

    private ApiServer server;

    @BeforeEach
    void start() {
        server = ApiServer.start();
        server.generator.script = LongStreamTest::count;
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** Numbers as fast as they are taken, on the thread where the client wants them. */
    private static Flux<GenerationEvent> count(GenerationRequest request) {
        return Flux.deferContextual(context -> {
            Flux<GenerationEvent> numbers = Flux.range(0, TOKENS).map(i -> new GenerationEvent.TextDelta(i + " ", 1));
            return numbers.concatWithValues(ScriptedGenerator.completed(request, TOKENS))
                    .publishOn(Schedulers.fromExecutor(context.<Delivery>get(Delivery.class).executor()), 1);
        });
    }

    private BufferedReader open(String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server.uri("/v1/completions")).header("content-type", "application/json")
                .timeout(Duration.ofSeconds(60)).POST(HttpRequest.BodyPublishers.ofString(body)).build();
        InputStream stream = server.client().send(request, HttpResponse.BodyHandlers.ofInputStream()).body();
        return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
    }

    /** Text of each choice. */
    private static List<String> texts(BufferedReader reader, int choices) throws Exception {
        List<StringBuilder> texts = new ArrayList<>();
        for (int i = 0; i < choices; i++) {
            texts.add(new StringBuilder());
        }
        String last = "";
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.startsWith("data: {")) {
                JsonNode choice = JsonMapper.shared().readTree(line.substring("data: ".length())).path("choices").get(0);
                texts.get(choice.path("index").intValue()).append(choice.path("text").stringValue());
            } else if (!line.isEmpty()) {
                last = line;
            }
        }
        assertThat(last).isEqualTo("data: [DONE]");
        return texts.stream().map(StringBuilder::toString).toList();
    }

    private static String expected() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < TOKENS; i++) {
            text.append(i).append(' ');
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void everyTokenComesInItsPlace(int choices) throws Exception {
        try (BufferedReader reader = open("{\"prompt\":\"x\",\"stream\":true,\"n\":" + choices + "}")) {
            assertThat(texts(reader, choices)).hasSize(choices).containsOnly(expected());
        }
    }

    @Test
    void aConnectionIsGoodForOneAnswerAfterTheOther() throws Exception {
        for (int i = 0; i < 3; i++) {
            try (BufferedReader reader = open("{\"prompt\":\"x\",\"stream\":true}")) {
                assertThat(texts(reader, 1)).containsExactly(expected());
            }
            assertThat(server.get("/v1/models").statusCode()).isEqualTo(200);
        }
    }
}

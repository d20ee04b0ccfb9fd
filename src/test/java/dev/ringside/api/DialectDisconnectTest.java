package dev.ringside.api;

import static org.awaitility.Awaitility.await;

import dev.ringside.engine.GenerationEvent;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;

/** A client that closes its connection ends its request, whatever interface it used. */
class DialectDisconnectTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private ApiServer server;

    @BeforeEach
    void start() {
        server = ApiServer.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "/v1/responses|{\"input\":\"Hi\",\"stream\":true}",
        "/v1/messages|{\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"stream\":true}"})
    void aStreamIsCancelled(String path, String body) throws Exception {
        server.generator.script = _ -> Flux.<GenerationEvent>just(new GenerationEvent.TextDelta("marker", 1)).concatWith(Flux.never());

        try (Socket socket = open(path, body)) {
            InputStream in = socket.getInputStream();
            StringBuilder seen = new StringBuilder();
            while (seen.indexOf("marker") < 0) {
                seen.append((char) in.read());
            }
        }

        await().atMost(PATIENCE).until(() -> server.generator.cancelled.get() == 1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "/v1/responses|{\"input\":\"Hi\"}",
        "/v1/messages|{\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"})
    void anAnswerInOnePieceIsCancelledToo(String path, String body) throws Exception {
        server.generator.script = _ -> Flux.never();

        try (Socket _ = open(path, body)) {
            await().atMost(PATIENCE).until(() -> server.generator.requests.size() == 1);
        }

        await().atMost(PATIENCE).until(() -> server.generator.cancelled.get() == 1);
    }

    private Socket open(String path, String body) throws Exception {
        Socket socket = new Socket("localhost", server.port());
        socket.getOutputStream()
                .write(("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
        return socket;
    }
}

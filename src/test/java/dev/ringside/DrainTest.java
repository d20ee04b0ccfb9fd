package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What SIGTERM does to a server that serves, and to one that still starts. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "there is no SIGTERM")
class DrainTest {

    private static final int STREAMS = 8;
    // End tokens are ruled out, so that every answer is as long as it may be.
    private static final String STORY = "{\"messages\":[{\"role\":\"user\",\"content\":\"Tell me a story about a fox.\"}],"
            + "\"logit_bias\":{\"8191\":-100,\"8189\":-100},\"max_tokens\":120,\"stream\":true}";

    @Test
    void streamsFinishNewRequestsAreRefusedAndTheProcessEndsWithSuccess() throws Exception {
        try (ServerProcess server = new ServerProcess("--server.port=0", "--ringside.model.path=",
                "--spring.lifecycle.timeout-per-shutdown-phase=600s"); HttpCalls http = new HttpCalls(server.awaitPort())) {
            List<CompletableFuture<HttpResponse<String>>> streams = new ArrayList<>();
            for (int i = 0; i < STREAMS; i++) {
                streams.add(http.sendAsync("/v1/chat/completions", STORY.getBytes(StandardCharsets.UTF_8)));
            }
            while (http.json("/actuator/scheduler").path("active").intValue() < STREAMS) {
                Thread.onSpinWait();
            }

            server.terminate();
            server.awaitLine("Shutting down: " + STREAMS + " answers");

            HttpResponse<String> late = http.post("/v1/completions", "{\"prompt\":\"Hello\",\"max_tokens\":1}");
            assertThat(late.statusCode()).as(late.body()).isEqualTo(503);
            assertThat(late.headers().firstValue("Retry-After")).hasValue("5");
            assertThat(late.body()).contains("shutting down", "unavailable_error");
            assertThat(http.get("/actuator/health/readiness").statusCode()).isEqualTo(503);
            assertThat(http.get("/actuator/health/liveness").statusCode()).isEqualTo(200);
            for (CompletableFuture<HttpResponse<String>> stream : streams) {
                HttpResponse<String> answer = HttpCalls.await(stream);
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.body()).contains("\"finish_reason\":\"length\"").endsWith("data: [DONE]\n\n").doesNotContain("\"error\"");
            }
            assertThat(server.awaitExit()).isZero();
        }
    }

    @Test
    void aServerThatLoadsItsModelEndsAtOnce(@TempDir Path directory) throws Exception {
        // Nobody writes to it: loading the experts of an earlier run waits there for as long as it is let.
        Path pipe = directory.resolve("hot-list");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        try (ServerProcess server = new ServerProcess("--server.port=0", "--ringside.model.path=",
                "--ringside.experts.hot-list-file=" + pipe)) {
            server.awaitLine("Device: ");

            server.terminate();

            assertThat(server.awaitExit()).isEqualTo(143);
            server.awaitLine("Stopped while starting");
        }
    }

    @Test
    void aServerThatStillStartsEndsAtOnceAndSaysHowFarItWas(@TempDir Path cache) throws Exception {
        HttpServer source = HttpServer.create(new InetSocketAddress(InetAddress.getByName("localhost"), 0), 0);
        CountDownLatch end = new CountDownLatch(1);
        source.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 1000);
            exchange.getResponseBody().write(new byte[340]);
            exchange.getResponseBody().flush();
            try {
                end.await();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        });
        source.start();
        String address = "http://localhost:" + source.getAddress().getPort() + "/model.gguf";
        try (ServerProcess server = new ServerProcess("--server.port=0", "--ringside.model.path=" + address,
                "--ringside.model.cache-directory=" + cache)) {
            server.awaitLine("model.gguf: downloading");

            server.terminate();

            assertThat(server.awaitExit()).isEqualTo(143);
            server.awaitLine("Stopped while starting");
        } finally {
            end.countDown();
            source.stop(0);
        }
    }
}

package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;

/** Traces reach a collector, when there is one. */
class TracingTest {

    @Test
    void aCallIsASpanWithOneBelowItForTheModel() throws Exception {
        Queue<String> received = new ConcurrentLinkedQueue<>();
        HttpServer collector = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            received.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
        try (ReactiveWebServerApplicationContext server = (ReactiveWebServerApplicationContext) SpringApplication.run(
                RingsideApplication.class, "--server.port=0", "--ringside.model.path=", "--ringside.gpu.backend=cpu",
                "--management.opentelemetry.tracing.export.otlp.endpoint=http://localhost:" + collector.getAddress().getPort()
                        + "/v1/traces",
                "--management.opentelemetry.tracing.export.schedule-delay=100ms", "--management.tracing.sampling.probability=1")) {
            try (HttpCalls http = new HttpCalls(server.getWebServer().getPort())) {
                http.answer("What is 345 + 278?");
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> received.stream().anyMatch(body -> body.contains("chat ringside-demo")));
            assertThat(received).anySatisfy(body -> assertThat(body).contains("gen_ai.usage.output_tokens", "gen_ai.operation.name")
                    .doesNotContain("345"));
        } finally {
            collector.stop(0);
        }
    }
}

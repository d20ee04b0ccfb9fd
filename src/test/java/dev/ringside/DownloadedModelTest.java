package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import tools.jackson.databind.JsonNode;

/** A server whose model lies on a web server: fetched once, and found again when that is gone. */
class DownloadedModelTest {

    private static final Path MODEL = Path.of("src/main/resources/models/ringside-demo.gguf");

    @TempDir
    Path cache;

    @Test
    void aModelIsFetchedOnceAndServed() throws Exception {
        String digest = Files.readString(Path.of(MODEL + ".sha256")).strip();
        List<String> asked = new CopyOnWriteArrayList<>();
        HttpServer source = HttpServer.create(new InetSocketAddress(InetAddress.getByName("localhost"), 0), 0);
        source.createContext("/", exchange -> {
            asked.add(exchange.getRequestURI().getPath());
            try (exchange) {
                exchange.sendResponseHeaders(200, Files.size(MODEL));
                Files.copy(MODEL, exchange.getResponseBody());
            }
        });
        source.start();
        String address = "http://localhost:" + source.getAddress().getPort() + "/models/demo.gguf";
        try {
            serve(address, digest);
        } finally {
            source.stop(0);
        }

        serve(address, digest);

        assertThat(asked).containsExactly("/models/demo.gguf");
    }

    private void serve(String address, String digest) {
        try (ReactiveWebServerApplicationContext server = (ReactiveWebServerApplicationContext) SpringApplication.run(
                RingsideApplication.class, "--server.port=0", "--ringside.gpu.backend=cpu", "--ringside.model.path=" + address,
                "--ringside.model.sha256=" + digest, "--ringside.model.cache-directory=" + cache);
                HttpCalls http = new HttpCalls(server.getWebServer().getPort())) {
            JsonNode health = http.json("/actuator/health").path("components");
            assertThat(health.path("model").path("details").path("source").stringValue()).isEqualTo(address);
            assertThat(health.path("model").path("details").path("file").stringValue()).startsWith(cache.toString());
            assertThat(health.path("queue").path("details").path("queueCapacity").intValue()).isPositive();
            assertThat(health.path("spill").path("details").path("directory").stringValue()).isEqualTo("none");
            assertThat(http.json("/v1/models").path("data").get(0).path("id").stringValue()).isEqualTo("ringside-demo");
        }
    }
}

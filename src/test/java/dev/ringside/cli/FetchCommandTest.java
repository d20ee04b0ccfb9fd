package dev.ringside.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FetchCommandTest {

    private static final byte[] CONTENT = "not really a model".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path directory;

    private HttpServer server;
    private String address;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("localhost"), 0), 0);
        server.createContext("/tiny.gguf", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, CONTENT.length);
                exchange.getResponseBody().write(CONTENT);
            }
        });
        server.start();
        address = "http://localhost:" + server.getAddress().getPort() + "/tiny.gguf";
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void putsTheFileIntoADirectoryAndPrintsItsPath() {
        CommandRun run = CommandRun.of("fetch", address, "--to", directory.toString());

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out().strip()).isEqualTo(directory.resolve("tiny.gguf").toString());
        assertThat(directory.resolve("tiny.gguf")).hasBinaryContent(CONTENT);
        assertThat(run.err()).contains("tiny.gguf: downloaded");
    }

    @Test
    void saysWhyAFileCanNotBeHadAndWhatToDo() {
        CommandRun run = CommandRun.of("fetch", address.replace("tiny", "other"), "--cache", directory.toString());

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("other.gguf does not exist (404)", "Check").doesNotContain("\tat ");
    }

    @Test
    void wrongUsageIsExplained() {
        assertThat(CommandRun.of("fetch", "model.gguf", "--to", directory.toString()).err())
                .contains("must be an https:// or hf:// address");
        assertThat(CommandRun.of("fetch", address).code()).isEqualTo(2);
        assertThat(CommandRun.of("fetch", address, "--to", directory.toString(), "--sha256", "abc").err())
                .contains("64 hexadecimal digits");
    }
}

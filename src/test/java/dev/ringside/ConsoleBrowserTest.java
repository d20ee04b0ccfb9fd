package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The console in headless Chromium, driven by {@code src/test/browser/console.mjs}. Skipped without Chromium, Node.js 18 and npm; what npm
 * brings lies under {@code target/browser}, the screenshots in there too.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ConsoleBrowserTest {

    private static final Path SCRIPTS = Path.of("src/test/browser");
    private static final Path WORK = Path.of("target/browser");

    private static Path chromium;

    @BeforeAll
    static void prepare() throws IOException, InterruptedException {
        chromium = Stream.of("chromium", "chromium-browser", "google-chrome").map(ConsoleBrowserTest::find).filter(path -> path != null)
                .findFirst().orElse(null);
        assumeThat(chromium).as("Chromium on the PATH (Debian: apt install chromium)").isNotNull();
        assumeThat(find("node")).as("Node.js on the PATH").isNotNull();
        assumeThat(find("npm")).as("npm on the PATH").isNotNull();
        Files.createDirectories(WORK);
        for (String file : List.of("package.json", "package-lock.json", "console.mjs")) {
            Files.writeString(WORK.resolve(file), Files.readString(SCRIPTS.resolve(file)));
        }
        if (!Files.isDirectory(WORK.resolve("node_modules"))) {
            Outcome installed = run("npm", "ci", "--no-audit", "--no-fund");
            assumeThat(installed.status()).as("npm ci: %s", installed.text()).isZero();
        }
    }

    @Test
    void aNewcomerChatsAndWatchesTheExperts() throws Exception {
        JsonNode seen = drive();
        assertThat(texts(seen, "errors")).as("messages in the browser's console").isEmpty();
        assertThat(texts(seen, "foreign")).as("requests to other hosts").isEmpty();
        assertThat(texts(seen, "violations")).as("accessibility").isEmpty();
        assertThat(texts(seen, "sideways")).as("pages wider than the window").isEmpty();
        assertThat(seen.get("model").stringValue()).startsWith("ringside-demo").contains("qwen4exp");
        assertThat(seen.get("answer").stringValue()).isNotBlank();
        assertThat(seen.get("grown").intValue()).as("different lengths of the answer while it came").isGreaterThan(2);
        assertThat(seen.get("foot").stringValue()).contains("tokens");
        assertThat(seen.get("generated").intValue()).as("tokens on the panel").isPositive();
        assertThat(seen.get("heatChanged").booleanValue()).as("the heat map changed").isTrue();
        assertThat(seen.get("second").stringValue()).contains("prompt");
        assertThat(seen.get("cell").stringValue()).startsWith("Layer 1, expert 0: ");
        assertThat(seen.get("layers").intValue()).as("rows of the table of layers").isGreaterThan(7);
        assertThat(seen.get("stopped").stringValue()).contains("stopped");
        assertThat(seen.get("cleared").booleanValue()).as("a new chat is empty").isTrue();
    }

    @Test
    void aServerWithKeysAsksForOne() throws Exception {
        JsonNode seen = drive("sesame");
        assertThat(texts(seen, "errors")).as("messages in the browser's console").isEmpty();
        assertThat(texts(seen, "violations")).as("accessibility").isEmpty();
        assertThat(seen.get("grown").intValue()).as("different lengths of the answer while it came").isPositive();
    }

    private static JsonNode drive(String... key) throws Exception {
        List<String> settings = new ArrayList<>(List.of("--server.port=0", "--ringside.model.path=", "--ringside.gpu.backend=cpu",
                "--ringside.experts.arena-bytes=25%"));
        for (String each : key) {
            settings.add("--ringside.api.keys=" + each);
        }
        try (ReactiveWebServerApplicationContext server = (ReactiveWebServerApplicationContext) SpringApplication
                .run(RingsideApplication.class, settings.toArray(String[]::new))) {
            List<String> command = new ArrayList<>(List.of("node", "console.mjs", "http://localhost:" + server.getWebServer().getPort(),
                    chromium.toString(), "."));
            command.addAll(List.of(key));
            Outcome outcome = run(command.toArray(String[]::new));
            assertThat(outcome.status()).as(outcome.text()).isZero();
            return JsonMapper.shared().readTree(outcome.text());
        }
    }

    private static List<String> texts(JsonNode seen, String field) {
        List<String> texts = new ArrayList<>();
        seen.get(field).forEach(each -> texts.add(each.stringValue()));
        return texts;
    }

    private record Outcome(int status, String text) {}

    private static Outcome run(String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(WORK, "run", ".txt");
        Process process = new ProcessBuilder(command).directory(WORK.toFile()).redirectErrorStream(true).redirectOutput(output.toFile())
                .start();
        process.getOutputStream().close();
        if (!process.waitFor(4, TimeUnit.MINUTES)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        return new Outcome(process.exitValue(), Files.readString(output));
    }

    private static Path find(String program) {
        return Stream.of(System.getenv("PATH").split(":")).map(folder -> Path.of(folder, program)).filter(Files::isExecutable).findFirst()
                .orElse(null);
    }
}

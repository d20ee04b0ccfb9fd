package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * The clients that JavaScript programs use, run by Node.js against a started server. Skipped where Node.js 18 or npm is missing, or where npm
 * can't install them.
 */
@DemoServer
class NodeClientsTest {

    private static final int OLDEST_NODE = 18;
    private static final long INSTALL_SECONDS = 90;
    private static final long RUN_SECONDS = 120;
    private static final Path SOURCES = Path.of("src/test/node");
    private static final Path HOME = Path.of("target/node-clients");
    private static final String LOCK = "package-lock.json";
    private static final String INSTALLED = "installed.json";

    @LocalServerPort
    private int port;

    private record Outcome(int exit, String output) {}

    @BeforeAll
    static void install() throws IOException, InterruptedException {
        Outcome version = run(10, "node", "--version");
        assumeTrue(version.exit() == 0 && major(version.output()) >= OLDEST_NODE, "Node.js " + OLDEST_NODE + " or later is not here");
        Files.createDirectories(HOME);
        for (String file : List.of("package.json", LOCK, "clients.mjs")) {
            Files.copy(SOURCES.resolve(file), HOME.resolve(file), StandardCopyOption.REPLACE_EXISTING);
        }
        if (Files.exists(HOME.resolve(INSTALLED)) && Files.mismatch(HOME.resolve(INSTALLED), HOME.resolve(LOCK)) < 0) {
            return;
        }
        Outcome installed = run(INSTALL_SECONDS, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts");
        assumeTrue(installed.exit() == 0, () -> "npm can't install the clients: " + installed.output());
        Files.copy(HOME.resolve(LOCK), HOME.resolve(INSTALLED), StandardCopyOption.REPLACE_EXISTING);
    }

    @ParameterizedTest
    @CsvSource({
        "openai,models chat stream tools streamedTools jsonSchema cancel error responses responsesStream responsesTools",
        "ai,chatChat streamChat toolsChat jsonSchemaChat chatResponses streamResponses toolsResponses jsonSchemaResponses cancel",
        "anthropic,message stream tools countTokens cancel error"})
    void everyCheckOfAClientHolds(String client, String checks) throws IOException, InterruptedException {
        Outcome outcome = run(RUN_SECONDS, "node", "clients.mjs", "http://localhost:" + port, client);

        assertThat(outcome.exit()).as(outcome.output()).isZero();
        assertThat(outcome.output().lines().filter(line -> line.startsWith("ok "))).containsExactly(
                List.of(checks.split(" ", -1)).stream().map(check -> "ok " + check).toArray(String[]::new));
    }

    /** v20.11.1 gives 20; what is no version gives 0. */
    private static int major(String version) {
        int dot = version.indexOf('.');
        try {
            return version.startsWith("v") && dot > 0 ? Integer.parseInt(version.substring(1, dot)) : 0;
        } catch (NumberFormatException _) {
            return 0;
        }
    }

    private static Outcome run(long seconds, String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("node", ".log");
        try {
            Files.createDirectories(HOME);
            ProcessBuilder builder = new ProcessBuilder(command).directory(HOME.toFile()).redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            Process process;
            try {
                process = builder.start();
            } catch (IOException e) {
                return new Outcome(-1, command[0] + " is not here");
            }
            boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
            if (!ended) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
            return new Outcome(ended ? process.exitValue() : -1,
                    Files.readString(output) + (ended ? "" : "\n" + command[0] + " took longer than " + seconds + " s"));
        } finally {
            Files.deleteIfExists(output);
        }
    }
}

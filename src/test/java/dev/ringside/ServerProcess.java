package dev.ringside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The server as a process of its own, for what only a process can do: be killed. */
final class ServerProcess implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 120;

    private final Process process;
    private final List<String> log = new ArrayList<>();
    private boolean ended;

    ServerProcess(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-modules=jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED", "-Xmx256m", "-cp",
                System.getProperty("java.class.path"), RingsideApplication.class.getName(), "--ringside.gpu.backend=cpu"));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Thread.ofVirtual().start(this::read);
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                add(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            end();
        }
    }

    private synchronized void add(String line) {
        log.add(line);
        notifyAll();
    }

    private synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** The first line of the log that contains a text, once it is there. */
    synchronized String awaitLine(String text) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (true) {
            for (String line : log) {
                if (line.contains(text)) {
                    return line;
                }
            }
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            assertThat(ended || left <= 0).as("the server ended or fell silent before '%s':%n%s", text, String.join("\n", log)).isFalse();
            wait(left);
        }
    }

    /** The port, once it is open. */
    int awaitPort() throws InterruptedException {
        awaitLine("Started RingsideApplication");
        String line = awaitLine("Netty started on port ");
        String tail = line.substring(line.indexOf("on port ") + "on port ".length());
        return Integer.parseInt(tail.substring(0, tail.indexOf(' ') < 0 ? tail.length() : tail.indexOf(' ')));
    }

    /** SIGTERM; the process's own destroy would close the stream of its log too. */
    void terminate() {
        process.toHandle().destroy();
    }

    /** Status with which it ended. */
    int awaitExit() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("ended: %s", this).isTrue();
        return process.exitValue();
    }

    @Override
    public synchronized String toString() {
        return String.join("\n", log);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

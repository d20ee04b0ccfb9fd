package dev.ringside.sequence;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gpu.KvType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpillTest {

    private static final PrefixOptions LARGE = new PrefixOptions(1 << 20, 1000, 8, Duration.ofHours(1));
    private static final long PLENTY = 1 << 30;

    @TempDir
    private Path directory = Path.of("");
    private HashingModel model = new HashingModel(3, 100, true);

    @BeforeEach
    void ready() throws IOException {
        Files.createDirectories(directory);
    }

    private PrefixStore store(PrefixOptions options, CheckpointIdentity identity, long bytes) {
        return new PrefixStore(model.pool, identity, options, SpillDirectory.open(directory, bytes));
    }

    private PrefixStore store() {
        return store(LARGE, HashingModel.IDENTITY, PLENTY);
    }

    private static int[] prompt(int seed) {
        return new Random(seed).ints(40, 0, 1000).toArray();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(path -> path.toString().endsWith(".checkpoint")).sorted().toList();
        }
    }

    /** Three prompts whose prefixes of 36 tokens are in files. */
    private void fill() throws IOException {
        try (PrefixStore store = store()) {
            for (int seed = 1; seed <= 3; seed++) {
                model.run(store, prompt(seed), 36);
            }
        }
        assertThat(files()).hasSize(3);
    }

    @Test
    void prefixesSurviveARestart() throws IOException {
        for (boolean recurrent : new boolean[] {true, false}) {
            model.close();
            model = new HashingModel(3, 100, recurrent);
            fill();
            // Another process, another pool.
            model.close();
            model = new HashingModel(3, 100, recurrent);
            try (PrefixStore store = store()) {
                assertThat(store.snapshot().spilled()).isEqualTo(3);
                assertThat(store.snapshot().spillBytes()).isEqualTo(files().stream().mapToLong(path -> path.toFile().length()).sum());
                assertThat(model.run(store, prompt(2))).isEqualTo(36);
                assertThat(store.snapshot().entries()).as("it is back in memory").isEqualTo(1);
                assertThat(model.run(store, prompt(2))).isEqualTo(36);
                assertThat(store.drop(null)).isEqualTo(3);
            }
            assertThat(files()).isEmpty();
        }
        model.close();
    }

    @Test
    void whatLeavesMemoryGoesToAFileAndComesBack() {
        try (PrefixStore store = store(new PrefixOptions(256, 1000, 8, Duration.ofHours(1)), HashingModel.IDENTITY, PLENTY)) {
            model.run(store, prompt(1), 36);
            model.run(store, prompt(2), 36);
            assertThat(store.snapshot().entries()).isEqualTo(1);
            assertThat(store.snapshot().spilled()).isEqualTo(1);
            assertThat(model.run(store, prompt(1))).isEqualTo(36);
            assertThat(model.run(store, prompt(2))).isEqualTo(36);
            assertThat(store.snapshot().bytes()).isEqualTo(256);
        }
        model.close();
    }

    @Test
    void theBudgetOfBytesIsKept() throws IOException {
        fill();
        long each = files().getFirst().toFile().length();
        try (PrefixStore store = store(LARGE, HashingModel.IDENTITY, 2 * each)) {
            assertThat(store.snapshot().spilled()).isEqualTo(2);
            model.run(store, prompt(7), 36);
        }
        assertThat(files()).hasSize(2);
        try (PrefixStore store = store(LARGE, HashingModel.IDENTITY, each - 1)) {
            assertThat(store.snapshot().spilled()).isZero();
            model.run(store, prompt(8), 36);
        }
        assertThat(files()).isEmpty();
        model.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"truncated", "empty", "foreign", "header", "payload", "longer", "version", "junk"})
    void aFileThatIsNoGoodIsIgnoredAndCounted(String damage) throws IOException {
        fill();
        Path victim = files().getFirst();
        byte[] bytes = Files.readAllBytes(victim);
        switch (damage) {
            case "truncated" -> Files.write(victim, Arrays.copyOf(bytes, bytes.length - 9));
            case "empty" -> Files.write(victim, new byte[0]);
            case "foreign" -> Files.write(victim, "this is a text that somebody left here".getBytes(UTF_8));
            case "header" -> Files.write(victim, flipped(bytes, 70));
            case "payload" -> Files.write(victim, flipped(bytes, bytes.length - 5));
            case "longer" -> Files.write(victim, Arrays.copyOf(bytes, bytes.length + 1));
            case "version" -> Files.write(victim, flipped(bytes, 11));
            default -> Files.write(directory.resolve("0-0.checkpoint"), new byte[500]);
        }
        try (PrefixStore store = store()) {
            int hits = 0;
            for (int seed = 1; seed <= 3; seed++) {
                hits += model.run(store, prompt(seed)) > 0 ? 1 : 0;
            }
            assertThat(hits).isEqualTo(damage.equals("junk") ? 3 : 2);
            assertThat(store.snapshot().spillRefused()).isEqualTo(1);
        }
        model.close();
    }

    private static byte[] flipped(byte[] bytes, int index) {
        byte[] copy = bytes.clone();
        copy[index] ^= 4;
        return copy;
    }

    @Test
    void everyFlippedBitIsNoticed() throws IOException {
        try (PrefixStore store = store()) {
            model.run(store, prompt(1), 12);
        }
        Path file = files().getFirst();
        byte[] bytes = Files.readAllBytes(file);
        Random random = new Random(3);
        for (int i = 0; i < 150; i++) {
            Files.write(file, flipped(bytes, random.nextInt(bytes.length)));
            try (PrefixStore store = store()) {
                assertThat(model.run(store, prompt(1))).isZero();
                assertThat(store.snapshot().spillRefused()).isEqualTo(1);
            }
        }
        model.close();
    }

    @Test
    void filesOfAnotherModelOrKvTypeAreLeftAlone() throws IOException {
        fill();
        for (CheckpointIdentity other : List.of(new CheckpointIdentity(78, KvType.F16), new CheckpointIdentity(77, KvType.F32))) {
            try (PrefixStore store = store(LARGE, other, PLENTY)) {
                assertThat(store.snapshot().spillRefused()).isEqualTo(3);
                assertThat(model.run(store, prompt(1))).isZero();
            }
        }
        assertThat(files()).hasSize(3);
        model.close();
    }

    @Test
    void twoProcessesDoNotShareADirectory() {
        try (PrefixStore store = store()) {
            assertThat(store.snapshot().spilled()).isZero();
            assertThatThrownBy(() -> SpillDirectory.open(directory, 1)).isInstanceOf(CheckpointException.class)
                    .hasMessageContaining("ringside.checkpoints.spill-directory");
        }
        SpillDirectory.open(directory, 1).close();
        model.close();
    }

    /** Writes prefixes for ever and says of each when it is there. */
    static final class Writer {

        public static void main(String[] arguments) {
            HashingModel model = new HashingModel(3, 100, true);
            SpillDirectory directory = SpillDirectory.open(Path.of(arguments[0]), PLENTY);
            for (int seed = 0;; seed++) {
                int[] prompt = prompt(seed);
                SequenceState state = model.pool.acquire(44);
                model.feed(state, prompt, 0, 36, 1000);
                SpillFile file = directory.write(Checkpoint.save(state, HashingModel.IDENTITY), seed);
                state.close();
                System.out.println(file.written().join());
            }
        }
    }

    @Test
    void aProcessKilledWhileItWritesLosesAtMostThatEntry() throws Exception {
        Process writer = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(), directory.toString()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        int written = 0;
        try (var lines = writer.inputReader()) {
            while (written < 40) {
                assertThat(lines.readLine()).isEqualTo("true");
                written++;
            }
            // Not the process's own method, which would close the stream that tells what was written.
            writer.toHandle().destroyForcibly();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                written += line.equals("true") ? 1 : 0;
            }
        }
        writer.waitFor();
        try (PrefixStore store = store()) {
            assertThat(store.snapshot().spillRefused()).isZero();
            assertThat(store.snapshot().spilled()).isBetween(written, written + 1);
            for (int seed = 0; seed < written; seed++) {
                assertThat(model.run(store, prompt(seed))).isEqualTo(36);
            }
        }
        try (Stream<Path> all = Files.list(directory)) {
            assertThat(all.filter(path -> path.toString().endsWith(".tmp"))).isEmpty();
        }
        model.close();
    }
}

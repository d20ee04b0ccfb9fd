package dev.ringside.expert;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.GgufWriter;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.host.HostBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Gathers of eight experts of 5 MB that are all missing, from a file in the page cache. Time of one expert. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = {"-Xmx2g", "--add-modules=jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"})
public class MissingGatherBenchmark {

    private static final int EXPERTS = 64;
    private static final int TOGETHER = 8;
    private static final int HIDDEN = 2048;
    private static final int WIDTH = 768;

    @Param({"device", "pinned"})
    String arena = "";

    @Param({"1", "4"})
    int readers;

    private final int[] experts = new int[TOGETHER];
    private Path file;
    private HostBackend backend;
    private GpuStream stream;
    private ExpertFetcher fetcher;
    private int next;
    private long seen;
    private WaveConsumer consumer;

    @Setup
    public void open() throws IOException {
        file = Files.createTempDirectory("ringside-experts").resolve("model.gguf");
        GgufWriter writer = GgufWriter.of("test");
        byte[] data = new byte[Math.toIntExact(GgmlType.Q8_0.rowBytes(HIDDEN) * WIDTH * EXPERTS)];
        new Random(1).nextBytes(data);
        writer.tensor("gate", GgmlType.Q8_0, new long[] {HIDDEN, WIDTH, EXPERTS}, data);
        writer.tensor("up", GgmlType.Q8_0, new long[] {HIDDEN, WIDTH, EXPERTS}, data);
        writer.tensor("down", GgmlType.Q8_0, new long[] {WIDTH, HIDDEN, EXPERTS}, data);
        writer.write(file);
        ReadOptions reads = ReadOptions.DEFAULT.withDirect(DirectReads.FALSE).withKeepPageCache(true);
        backend = HostBackend.create(1);
        stream = backend.createStream();
        consumer = (ids, addresses, count) -> seen += addresses[count - 1];
        try (GgufFile model = GgufFile.open(file)) {
            ExpertTensors tensors = new ExpertTensors(0, model.require("gate"), model.require("up"), model.require("down"));
            fetcher = ExpertFetcher.open(backend, GgufExpertSource.open(model, List.of(tensors), reads), ExpertArenaFactory.configured(),
                    ExpertOptions.defaults(TOGETHER, 0).withArena(ArenaKind.parse(arena)).withCapacity(ExpertCapacity.parse("25%"))
                            .withReaderThreads(readers).withEviction(ExpertEviction.LRU, 1)
                            .withTuning(ExpertTuning.DEFAULT.withReads(reads).withLookahead(false)));
        }
    }

    @Benchmark
    @OperationsPerInvocation(TOGETHER)
    public long eight() {
        for (int i = 0; i < TOGETHER; i++) {
            experts[i] = next + i;
        }
        next = (next + TOGETHER) % EXPERTS;
        fetcher.gather(0, experts, TOGETHER, stream, consumer);
        return seen;
    }

    @TearDown
    public void close() throws IOException {
        if (fetcher.snapshot().hits() > 0) {
            throw new IllegalStateException("Something was resident: " + fetcher.snapshot());
        }
        fetcher.close();
        stream.close();
        backend.close();
        Files.delete(file);
        Files.delete(Objects.requireNonNull(file.getParent()));
    }
}

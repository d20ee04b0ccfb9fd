package dev.ringside.expert;

import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.host.HostBackend;
import java.util.Arrays;
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

/** Ten experts of each of 48 layers, all resident: what a token pays for the expert tier when nothing is missing. Time of one layer. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = {"--add-modules=jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"})
public class ResidentGatherBenchmark {

    private static final int LAYERS = 48;
    private static final int EXPERTS = 128;

    @Param({"window:8", "adaptive"})
    String policy = "";

    /** With half of all experts the adaptive policy runs its shadow caches too. */
    @Param({"100%", "50%"})
    String arena = "";

    private final int[] experts = {3, 9, 17, 31, 44, 58, 77, 90, 101, 120};
    private HostBackend backend;
    private GpuStream stream;
    private ExpertFetcher fetcher;
    private long seen;
    private WaveConsumer consumer;

    @Setup
    public void open() {
        int[] counts = new int[LAYERS];
        Arrays.fill(counts, EXPERTS);
        backend = HostBackend.create(1);
        stream = backend.createStream();
        consumer = (ids, addresses, count) -> seen += addresses[count - 1];
        fetcher = ExpertFetcher.open(backend, new PatternSource(counts), ExpertArenaFactory.configured(),
                ExpertOptions.defaults(experts.length, 0).withArena(ArenaKind.DEVICE).withCapacity(ExpertCapacity.parse(arena))
                        .withEviction(ExpertEviction.parse(policy), 1));
        allLayers();
    }

    @Benchmark
    @OperationsPerInvocation(LAYERS)
    public long allLayers() {
        for (int layer = 0; layer < LAYERS; layer++) {
            fetcher.gather(layer, experts, experts.length, stream, consumer);
        }
        return seen;
    }

    @TearDown
    public void close() {
        if (fetcher.snapshot().misses() != (long) LAYERS * experts.length) {
            throw new IllegalStateException("Something was missing: " + fetcher.snapshot());
        }
        fetcher.close();
        stream.close();
        backend.close();
    }
}

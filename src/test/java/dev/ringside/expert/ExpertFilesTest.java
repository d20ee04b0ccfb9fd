package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.ringside.gguf.GgmlType;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.GgufWriter;
import dev.ringside.gpu.ExpertShape;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.host.HostBackend;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Experts of two layers in two files on the CPU backend: faults of one file, memory over thousands of evictions. */
class ExpertFilesTest {

    private static final int HIDDEN = 256;
    private static final int WIDTH = 128;
    private static final int EXPERTS = 32;

    @TempDir
    Path directory;

    private final FaultyFiles files = new FaultyFiles();
    private final ManualClock clock = new ManualClock();
    private HostBackend backend = HostBackend.create(1);
    private GpuStream stream = backend.createStream();
    private Path first = Path.of("");
    private Path second = Path.of("");
    private GgufFile file = GgufFile.open(Path.of("src/main/resources/models/ringside-demo.gguf"));

    @BeforeEach
    void write() throws IOException {
        file.close();
        GgufWriter writer = GgufWriter.of("test");
        Random random = new Random(5);
        for (int layer = 0; layer < 2; layer++) {
            writer.tensor("gate" + layer, GgmlType.Q8_0, new long[] {HIDDEN, WIDTH, EXPERTS}, bytes(random, GgmlType.Q8_0, HIDDEN, WIDTH));
            writer.tensor("up" + layer, GgmlType.Q4_0, new long[] {HIDDEN, WIDTH, EXPERTS}, bytes(random, GgmlType.Q4_0, HIDDEN, WIDTH));
            writer.tensor("down" + layer, GgmlType.Q5_0, new long[] {WIDTH, HIDDEN, EXPERTS}, bytes(random, GgmlType.Q5_0, WIDTH, HIDDEN));
        }
        List<Path> parts = writer.writeSplit(directory, "model", 3, 3);
        first = parts.get(0);
        second = parts.get(1);
        file = GgufFile.open(first);
    }

    private static byte[] bytes(Random random, GgmlType type, int columns, int rows) {
        byte[] data = new byte[Math.toIntExact(type.rowBytes(columns) * rows * EXPERTS)];
        random.nextBytes(data);
        return data;
    }

    @AfterEach
    void close() {
        stream.close();
        backend.close();
        file.close();
    }

    private ExpertTensors tensors(int layer) {
        return new ExpertTensors(layer, file.require("gate" + layer), file.require("up" + layer), file.require("down" + layer));
    }

    private ExpertFetcher open(ArenaKind kind, int percent, ExpertTuning tuning, int readers) {
        ExpertOptions options = ExpertOptions.defaults(2, 0).withArena(kind).withCapacity(ExpertCapacity.parse(percent + "%"))
                .withReaderThreads(readers).withTuning(tuning);
        GgufExpertSource source = GgufExpertSource.open(file, List.of(tensors(0), tensors(1)), tuning.reads(), files);
        return ExpertFetcher.open(backend, source, ExpertArenaFactory.configured(), options);
    }

    private static ReadOptions reads(DirectReads direct, Duration openFor, Clock clock) {
        return ReadOptions.DEFAULT.withDirect(direct).withRetries(2, Duration.ZERO).withOpenFor(openFor, clock);
    }

    /** Gathers and compares every expert with the mapping of its file at the moment it is handed out; returns how many there were. */
    private int gather(ExpertFetcher fetcher, int layer, int... experts) {
        int[] matching = new int[1];
        fetcher.gather(layer, experts, experts.length, stream, (ids, addresses, count) -> {
            for (int i = 0; i < count; i++) {
                assertThat(matches(layer, ids[i], addresses[i])).as("layer %d, expert %d", layer, ids[i]).isTrue();
                matching[0]++;
            }
        });
        return matching[0];
    }

    private boolean matches(int layer, int expert, long address) {
        ExpertTensors of = tensors(layer);
        ExpertShape shape = SlotLayout.builder().add(layer, HIDDEN, WIDTH, GgmlType.Q8_0, GgmlType.Q4_0, GgmlType.Q5_0).build()
                .shape(layer);
        MemorySegment slot = MemorySegment.ofAddress(address).reinterpret(shape.downOffset() + of.down().matrixBytes());
        return same(slot, shape.gateOffset(), file.data(of.gate()), expert, of.gate().matrixBytes())
                && same(slot, shape.upOffset(), file.data(of.up()), expert, of.up().matrixBytes())
                && same(slot, shape.downOffset(), file.data(of.down()), expert, of.down().matrixBytes());
    }

    private static boolean same(MemorySegment slot, long offset, MemorySegment tensor, int expert, long bytes) {
        return MemorySegment.mismatch(slot, offset, offset + bytes, tensor, expert * bytes, (expert + 1) * bytes) < 0;
    }

    @ParameterizedTest
    @CsvSource({"DEVICE,TRUE", "DEVICE,FALSE", "PINNED,TRUE", "PINNED,FALSE"})
    void shardThatFailsIsNamedTheOtherGoesOnAndItRecoversWithoutARestart(ArenaKind kind, DirectReads direct) {
        ExpertTuning tuning = ExpertTuning.DEFAULT.withReads(reads(direct, Duration.ofSeconds(5), clock));
        try (ExpertFetcher fetcher = open(kind, 20, tuning, 3)) {
            files.failWith((path, past, offset, length) -> {
                if (path.equals(second)) {
                    throw new IOException("pread: input/output error (EIO)");
                }
                return length;
            });
            for (int i = 0; i < 20; i++) {
                int expert = i;
                assertThatThrownBy(() -> gather(fetcher, 1, expert)).isInstanceOfSatisfying(ExpertReadException.class,
                        e -> assertThat(e.shard()).isEqualTo(second.toString()));
                assertThat(gather(fetcher, 0, i, i + 1, i + 2)).isEqualTo(3);
            }
            assertThat(breakers(fetcher)).containsExactly("closed", "open");
            assertThat(fetcher.snapshot().layers()).extracting(ExpertSnapshot.Layer::resident).element(1).isEqualTo(0);

            files.failNever();
            clock.advance(Duration.ofSeconds(6));
            assertThat(gather(fetcher, 1, 3, 4)).isEqualTo(2);
            assertThat(gather(fetcher, 1, 5, 6)).isEqualTo(2);
            assertThat(breakers(fetcher)).containsExactly("closed", "closed");
        }
    }

    private static List<String> breakers(ExpertFetcher fetcher) {
        return fetcher.snapshot().tier().shards().stream().map(ShardSnapshot::breaker).toList();
    }

    @Test
    void randomFaultsNeverLeadAKeyToForeignBytes() {
        for (long seed : Seeds.of(4).toArray()) {
            gatherUnderFaults(seed, 800, Long.MAX_VALUE);
        }
    }

    @Tag("soak")
    @Test
    void fiveMinutesOfRandomFaultsNeverLeadAKeyToForeignBytes() {
        long end = System.nanoTime() + Duration.ofMinutes(5).toNanos();
        for (long seed = 1; System.nanoTime() < end; seed++) {
            gatherUnderFaults(seed, Integer.MAX_VALUE, Math.min(end, System.nanoTime() + Duration.ofSeconds(20).toNanos()));
        }
    }

    private void gatherUnderFaults(long seed, int steps, long end) {
        Random random = new Random(seed);
        Random faults = new Random(~seed);
        files.failWith((path, past, offset, length) -> {
            int draw;
            synchronized (faults) {
                draw = faults.nextInt(1000);
            }
            if (draw < (path.equals(second) ? 120 : 10)) {
                throw draw == 0
                        ? new UnalignedReadException("pread: invalid argument (EINVAL)")
                        : new IOException("pread: input/output error (EIO)");
            }
            return draw > 900 ? Math.max(Math.min(length, 4096), length / 2 & -4096) : length;
        });
        ArenaKind kind = seed % 2 == 0 ? ArenaKind.DEVICE : ArenaKind.PINNED;
        HostTierSize tier = random.nextBoolean() ? HostTierSize.NONE : HostTierSize.parse("60%");
        DirectReads direct = random.nextBoolean() ? DirectReads.TRUE : DirectReads.FALSE;
        ExpertTuning tuning = ExpertTuning.DEFAULT.withHostTier(tier).withReads(reads(direct, Duration.ofMillis(2), Clock.systemUTC()));
        int served = 0;
        int refused = 0;
        try (ExpertFetcher fetcher = open(kind, 15 + random.nextInt(50), tuning, 1 + random.nextInt(6))) {
            for (int step = 0; step < steps && System.nanoTime() < end; step++) {
                int layer = random.nextInt(2);
                int[] experts = random.ints(1 + random.nextInt(6), 0, EXPERTS).distinct().toArray();
                try {
                    assertThat(gather(fetcher, layer, experts)).as("seed %d", seed).isEqualTo(experts.length);
                    served++;
                } catch (ExpertReadException e) {
                    assertThat(e.shard()).as("seed %d", seed).isIn(first.toString(), second.toString());
                    refused++;
                }
                int[] guessed = random.ints(4, 0, EXPERTS).toArray();
                fetcher.prefetch(random.nextInt(2), guessed, guessed.length);
            }
        }
        files.failNever();
        assertThat(served).as("seed %d, refused %d", seed, refused).isGreaterThan(refused / 20);
        assertThat(backend.memory().arenaBytes() + backend.memory().pinnedBytes()).as("seed %d", seed).isZero();
    }

    private static long residentBytes() throws IOException {
        Path status = Path.of("/proc/self/status");
        Assumptions.assumeTrue(Files.exists(status), "this platform does not tell a process's memory");
        return Files.readAllLines(status).stream().filter(line -> line.startsWith("RssAnon:"))
                .mapToLong(line -> Long.parseLong(line.replace("RssAnon:", "").replace("kB", "").strip()) << 10).findFirst().orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(names = {"DEVICE", "PINNED"})
    void tenThousandEvictionsTakeNoMemoryAndAllocateNothing(ArenaKind kind) throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ReadOptions options = ReadOptions.DEFAULT.withDirect(DirectReads.FALSE).withKeepPageCache(true);
        ExpertOptions settings = ExpertOptions.defaults(2, 0).withArena(kind).withCapacity(ExpertCapacity.parse("20%")).withReaderThreads(1)
                .withTuning(ExpertTuning.DEFAULT.withReads(options));
        GgufExpertSource source = GgufExpertSource.open(file, List.of(tensors(0), tensors(1)), options);
        long[] seen = new long[1];
        WaveConsumer consumer = (ids, addresses, count) -> seen[0] += addresses[0];
        try (ExpertFetcher fetcher = ExpertFetcher.open(backend, source, ExpertArenaFactory.configured(), settings)) {
            long slots = fetcher.snapshot().slots() * fetcher.snapshot().slotBytes();
            int[] experts = new int[4];
            long allocated = 0;
            long resident = 0;
            int measured = 0;
            for (int step = 0; fetcher.snapshot().evictions() < 30_000; step++) {
                if (step == 2_000) {
                    resident = residentBytes();
                }
                for (int i = 0; i < experts.length; i++) {
                    experts[i] = (step * 7 + i * 5) % EXPERTS;
                }
                long before = threads.getCurrentThreadAllocatedBytes();
                fetcher.gather(step & 1, experts, experts.length, stream, consumer);
                if (step >= 6_000) {
                    allocated += threads.getCurrentThreadAllocatedBytes() - before;
                    measured++;
                }
            }
            assertThat(fetcher.snapshot().evictions()).isGreaterThanOrEqualTo(10_000);
            assertThat(allocated).as("bytes allocated by %d fetches", measured).isLessThan(16L * measured);
            // The heap and compiled code of the virtual machine are in there too; a page for each eviction would be 120 MB.
            assertThat(residentBytes() - resident).as("growth of native memory").isLessThan(64L << 20);
            if (kind == ArenaKind.PINNED) {
                assertThat(backend.memory().pinnedBytes()).isEqualTo(slots);
            } else {
                assertThat(backend.memory().arenaBytes()).isEqualTo(slots);
            }
            assertThat(fetcher.snapshot().resident()).isEqualTo(fetcher.snapshot().slots());
        }
        assertThat(seen[0]).isNotZero();
    }
}

package dev.ringside.expert;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.GgufWriter;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.host.HostBackend;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Figures of the expert tier for {@code docs/performance.md}: a gather of residents, a miss on a cached file, direct reads against
 * {@code dd}, and the fill of slots against a plain copy. Takes a directory for its file of 1 GiB; prints one line for each figure.
 */
public final class ExpertBenchmark {

    private static final int LAYERS = 48;
    private static final int EXPERTS = 128;
    private static final int HIDDEN = 2048;
    private static final int WIDTH = 768;

    private ExpertBenchmark() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path directory = Path.of(arguments.length > 0 ? arguments[0] : System.getProperty("java.io.tmpdir"));
        residents();
        Path file = directory.resolve("ringside-experts.gguf");
        try {
            write(file);
            misses(file, 1);
            misses(file, 4);
            for (int readers : new int[] {1, 2, 4, 8}) {
                direct(file, readers);
            }
            fill();
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static void print(String what, double value, String unit) {
        System.out.printf(Locale.ROOT, "%-64s %10.2f %s%n", what, value, unit);
    }

    /** Ten experts of each of 48 layers, all resident. */
    private static void residents() {
        for (String policy : List.of("window:8", "adaptive")) {
            for (int percent : new int[] {100, 50}) {
                int[] counts = new int[LAYERS];
                Arrays.fill(counts, EXPERTS);
                PatternSource source = new PatternSource(counts);
                try (HostBackend backend = HostBackend.create(1);
                        GpuStream stream = backend.createStream();
                        ExpertFetcher fetcher = ExpertFetcher.open(backend, source, ExpertArenaFactory.configured(),
                                ExpertOptions.defaults(10, 0).withArena(ArenaKind.DEVICE).withCapacity(ExpertCapacity.parse(percent + "%"))
                                        .withEviction(ExpertEviction.parse(policy), 1))) {
                    int[] experts = {3, 9, 17, 31, 44, 58, 77, 90, 101, 120};
                    long[] seen = new long[1];
                    WaveConsumer consumer = (ids, addresses, count) -> seen[0] += addresses[count - 1];
                    long best = Long.MAX_VALUE;
                    for (int round = 0; round < 60; round++) {
                        long begun = System.nanoTime();
                        for (int token = 0; token < 200; token++) {
                            for (int layer = 0; layer < LAYERS; layer++) {
                                fetcher.gather(layer, experts, experts.length, stream, consumer);
                            }
                        }
                        best = Math.min(best, System.nanoTime() - begun);
                    }
                    print("gather of 10 residents, " + policy + ", arena of " + percent + " %", best / 200.0 / LAYERS, "ns a layer");
                }
            }
        }
    }

    /** One layer of 128 experts of 8 MiB: 1 GiB. */
    private static void write(Path file) throws IOException {
        Random random = new Random(1);
        GgufWriter writer = GgufWriter.of("test");
        byte[] data = new byte[Math.toIntExact(GgmlType.Q8_0.rowBytes(HIDDEN) * WIDTH * 200)];
        random.nextBytes(data);
        writer.tensor("gate", GgmlType.Q8_0, new long[] {HIDDEN, WIDTH, 200}, data);
        writer.tensor("up", GgmlType.Q8_0, new long[] {HIDDEN, WIDTH, 200}, data);
        writer.tensor("down", GgmlType.Q8_0, new long[] {WIDTH, HIDDEN, 200}, data);
        writer.write(file);
    }

    private static GgufExpertSource source(Path path, ReadOptions options) {
        try (GgufFile file = GgufFile.open(path)) {
            return GgufExpertSource.open(file,
                    List.of(new ExpertTensors(0, file.require("gate"), file.require("up"), file.require("down"))),
                    options);
        }
    }

    /** Rounds over all experts through a small arena: every one is a miss. */
    private static double gatherAll(Path path, ReadOptions reads, ArenaKind kind, int readers, int staging, int rounds) {
        GgufExpertSource source = source(path, reads);
        long bytes = source.totalBytes();
        try (HostBackend backend = HostBackend.create(1);
                GpuStream stream = backend.createStream();
                ExpertFetcher fetcher = ExpertFetcher.open(backend, source, ExpertArenaFactory.configured(),
                        ExpertOptions.defaults(8, 0).withArena(kind).withCapacity(ExpertCapacity.parse("20%")).withReaderThreads(readers)
                                .withStagingSlots(staging).withEviction(ExpertEviction.LRU, 1)
                                .withTuning(ExpertTuning.DEFAULT.withReads(reads).withLookahead(false)))) {
            int count = source.expertCount(0);
            int[] experts = new int[8];
            double best = 0;
            for (int round = 0; round < rounds; round++) {
                long begun = System.nanoTime();
                for (int from = 0; from + 8 <= count; from += 8) {
                    for (int i = 0; i < 8; i++) {
                        experts[i] = from + i;
                    }
                    fetcher.gather(0, experts, 8, stream, (ids, addresses, found) -> {
                    });
                }
                best = Math.max(best, bytes * (count / 8 * 8.0 / count) / (System.nanoTime() - begun));
            }
            return best;
        }
    }

    private static void misses(Path file, int readers) {
        ReadOptions reads = ReadOptions.DEFAULT.withDirect(DirectReads.FALSE).withKeepPageCache(true);
        for (ArenaKind kind : List.of(ArenaKind.DEVICE, ArenaKind.PINNED)) {
            print("misses on a cached file, " + kind.text() + " arena, " + readers + " readers",
                    gatherAll(file, reads, kind, readers, 8, 4), "GB/s");
        }
    }

    private static void direct(Path file, int readers) throws IOException, InterruptedException {
        double own = 0;
        double theirs = 0;
        // In turns, since other work on the disk comes and goes.
        for (int round = 0; round < 6; round++) {
            own = Math.max(own, readAll(file, readers));
            theirs = Math.max(theirs, dd(file, readers));
        }
        print("direct reads, " + readers + " readers", own, "GB/s");
        print("dd iflag=direct, " + readers + " at once", theirs, "GB/s");
        print("direct reads against dd", 100 * own / theirs, "%");
    }

    /** All experts into staging slots by the readers, 16 experts at a time, as a gather has them read. */
    private static double readAll(Path path, int readers) {
        try (GgufExpertSource source = source(path, ReadOptions.DEFAULT.withDirect(DirectReads.TRUE));
                Arena arena = Arena.ofShared();
                ReaderPool pool = new ReaderPool(readers)) {
            MemorySegment[] slots = new MemorySegment[16];
            for (int i = 0; i < slots.length; i++) {
                slots[i] = arena.allocate(source.stagingBytes(), 4096);
            }
            int pieces = (int) Math.max(1, Math.min(readers, source.layout().expertBytes(0) >> 20));
            long begun = System.nanoTime();
            for (int first = 0; first + slots.length <= source.expertCount(0); first += slots.length) {
                int from = first;
                pool.start(part -> source.stage(0, from + part / pieces, part % pieces, pieces, slots[part / pieces]),
                        slots.length * pieces);
                pool.finish();
            }
            return (double) (source.expertCount(0) / slots.length * slots.length) * source.layout().expertBytes(0)
                    / (System.nanoTime() - begun);
        }
    }

    /** So many processes, each with its part of the file, in blocks of the size that readers use. */
    private static double dd(Path file, int processes) throws IOException, InterruptedException {
        long blocks = Files.size(file) >> 20;
        long each = blocks / processes;
        List<Process> running = new ArrayList<>();
        long begun = System.nanoTime();
        for (int i = 0; i < processes; i++) {
            running.add(new ProcessBuilder("dd", "if=" + file, "of=/dev/null", "bs=1M", "iflag=direct", "skip=" + i * each, "count=" + each)
                    .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start());
        }
        for (Process process : running) {
            if (process.waitFor() != 0) {
                throw new IOException("dd failed");
            }
        }
        return (double) (each * processes << 20) / (System.nanoTime() - begun);
    }

    /** Copies of staged experts into device slots against plain copies of as many bytes. */
    private static void fill() {
        long bytes = 64L << 20;
        try (HostBackend backend = HostBackend.create(1); GpuStream stream = backend.createStream(); Arena arena = Arena.ofShared()) {
            PinnedBuffer staged = backend.allocatePinned(bytes, "benchmark");
            DevicePtr target = backend.allocateArena(bytes);
            MemorySegment plain = arena.allocate(bytes, 4096).fill((byte) 1);
            MemorySegment copy = arena.allocate(bytes, 4096).fill((byte) 2);
            staged.memory().fill((byte) 3);
            long slot = 5L << 20;
            double pieces = 0;
            double whole = 0;
            for (int round = 0; round < 20; round++) {
                long begun = System.nanoTime();
                for (long at = 0; at + slot <= bytes; at += slot) {
                    for (int role = 0; role < 3; role++) {
                        backend.copyToDevice(staged.memory(), at + role * slot / 3, target, at + role * slot / 3, slot / 3, stream);
                    }
                }
                pieces = Math.max(pieces, (double) (bytes / slot * slot) / (System.nanoTime() - begun));
                begun = System.nanoTime();
                for (long at = 0; at + slot <= bytes; at += slot) {
                    MemorySegment.copy(plain, at, copy, at, slot);
                }
                whole = Math.max(whole, (double) (bytes / slot * slot) / (System.nanoTime() - begun));
            }
            print("fill of slots from staging", pieces, "GB/s");
            print("plain copy", whole, "GB/s");
            print("fill against plain copy", 100 * pieces / whole, "%");
            backend.freePinned(staged);
            backend.freeArena(target);
        }
    }
}

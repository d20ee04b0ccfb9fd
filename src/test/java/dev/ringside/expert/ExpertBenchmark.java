package dev.ringside.expert;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.GgufWriter;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.host.HostBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Speed of reading experts for {@code docs/performance.md}: gathers in which every expert is missing, against {@code dd} and against threads
 * that do nothing but read. What is compared takes turns, and the median of fixed rounds counts, since other work on a disk comes and goes.
 * Takes a directory for its file of 1 GB and numbers of reader threads; prints a line for each figure.
 */
public final class ExpertBenchmark {

    private static final int ROUNDS = 9;
    private static final int EXPERTS = 200;
    private static final int HIDDEN = 2048;
    private static final int WIDTH = 768;
    private static final int TOGETHER = 8;

    private ExpertBenchmark() {}

    /** Reads or copies a number of bytes and tells how fast, in GB/s. */
    private interface Run {

        double go() throws IOException, InterruptedException;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path file = Path.of(arguments[0]).resolve("ringside-experts.gguf");
        if (!Files.exists(file)) {
            write(file);
        }
        for (int i = 1; i < arguments.length; i++) {
            if (arguments[i].equals("fill")) {
                StagingBenchmark.run(ROUNDS);
            } else {
                compare(file, Integer.parseInt(arguments[i]));
            }
        }
    }

    /** One layer of 200 experts of three matrices of 1.67 MB in Q8_0. */
    private static void write(Path file) throws IOException {
        GgufWriter writer = GgufWriter.of("test");
        byte[] data = new byte[Math.toIntExact(GgmlType.Q8_0.rowBytes(HIDDEN) * WIDTH * EXPERTS)];
        new Random(1).nextBytes(data);
        writer.tensor("gate", GgmlType.Q8_0, new long[] {HIDDEN, WIDTH, EXPERTS}, data);
        writer.tensor("up", GgmlType.Q8_0, new long[] {HIDDEN, WIDTH, EXPERTS}, data);
        writer.tensor("down", GgmlType.Q8_0, new long[] {WIDTH, HIDDEN, EXPERTS}, data);
        writer.write(file);
    }

    private static GgufExpertSource source(Path path, ReadOptions options) {
        try (GgufFile file = GgufFile.open(path)) {
            return GgufExpertSource.open(file,
                    List.of(new ExpertTensors(0, file.require("gate"), file.require("up"), file.require("down"))),
                    options);
        }
    }

    private static void compare(Path file, int readers) throws IOException, InterruptedException {
        List<String> names = List.of("dd bs=1M iflag=direct", "bare reads of 1 MiB", "bare reads of whole matrices", "gather, device arena",
                "gather, pinned arena");
        List<Run> runs = List.of(() -> dd(file, readers), () -> RawReads.run(file, readers, 1 << 20, 80 << 20),
                () -> RawReads.run(file, readers, 408 << 12, 80 << 20), () -> gatherAll(file, ArenaKind.DEVICE, readers),
                () -> gatherAll(file, ArenaKind.PINNED, readers));
        double[][] rates = new double[runs.size()][ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < rates.length; i++) {
                rates[i][round] = runs.get(i).go();
            }
        }
        for (int i = 0; i < rates.length; i++) {
            double[] mine = rates[i];
            double[] ratios = new double[ROUNDS];
            double[] bare = new double[ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                ratios[round] = 100 * mine[round] / rates[0][round];
                bare[round] = 100 * mine[round] / rates[1][round];
            }
            System.out.printf(Locale.ROOT, "%d readers: %-32s %5.2f GB/s (%.2f to %.2f), %4.0f %% of dd, %4.0f %% of bare reads%n", readers,
                    names.get(i), median(mine), Arrays.stream(mine).min().orElseThrow(), Arrays.stream(mine).max().orElseThrow(),
                    median(ratios), median(bare));
        }
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Rounds over all experts through a small arena: every one is a miss. */
    private static double gatherAll(Path path, ArenaKind kind, int readers) {
        ReadOptions reads = ReadOptions.DEFAULT.withDirect(DirectReads.TRUE);
        GgufExpertSource source = source(path, reads);
        try (HostBackend backend = HostBackend.create(1);
                GpuStream stream = backend.createStream();
                ExpertFetcher fetcher = ExpertFetcher.open(backend, source, ExpertArenaFactory.configured(),
                        ExpertOptions.defaults(TOGETHER, 0).withArena(kind).withCapacity(ExpertCapacity.parse("16%"))
                                .withReaderThreads(readers).withEviction(ExpertEviction.LRU, 1)
                                .withTuning(ExpertTuning.DEFAULT.withReads(reads).withLookahead(false)))) {
            gather(fetcher, stream, 0, 32);
            gather(fetcher, stream, 32, 64);
            long begun = System.nanoTime();
            gather(fetcher, stream, 64, EXPERTS);
            return (double) source.layout().expertBytes(0) * (EXPERTS - 64) / (System.nanoTime() - begun);
        }
    }

    private static void gather(ExpertFetcher fetcher, GpuStream stream, int from, int to) {
        int[] experts = new int[TOGETHER];
        for (int first = from; first + TOGETHER <= to; first += TOGETHER) {
            for (int i = 0; i < TOGETHER; i++) {
                experts[i] = first + i;
            }
            fetcher.gather(0, experts, TOGETHER, stream, (ids, addresses, found) -> {
                // Being there is all that is wanted.
            });
        }
    }

    /** So many processes, each with its part of the file. */
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
}

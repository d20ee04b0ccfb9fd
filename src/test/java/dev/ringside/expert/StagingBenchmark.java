package dev.ringside.expert;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.host.HostBackend;
import java.lang.foreign.MemorySegment;
import java.util.Locale;

/** Copies of staged experts into device slots against plain copies of the same bytes, from the same memory to the same memory. */
final class StagingBenchmark {

    private static final long BYTES = 160L << 20;
    private static final long SLOT = 5L << 20;

    private StagingBenchmark() {}

    static void run(int rounds) {
        try (HostBackend backend = HostBackend.create(1); GpuStream stream = backend.createStream()) {
            PinnedBuffer staged = backend.allocatePinned(BYTES, "benchmark");
            DevicePtr target = backend.allocateArena(BYTES);
            MemorySegment plain = MemorySegment.ofAddress(target.address()).reinterpret(BYTES);
            staged.memory().fill((byte) 3);
            plain.fill((byte) 1);
            double[] fill = new double[rounds];
            double[] apart = new double[rounds];
            double[] pieces = new double[rounds];
            double[] whole = new double[rounds];
            for (int round = -5; round < rounds; round++) {
                int into = Math.max(0, round);
                fill[into] = timed(at -> backend.copyToDevice(staged.memory(), at, target, at, SLOT, stream));
                apart[into] = timed(at -> {
                    for (int role = 0; role < LayerExtents.ROLES; role++) {
                        backend.copyToDevice(staged.memory(), at + role * (SLOT / 3), target, at + role * (SLOT / 3), SLOT / 3, stream);
                    }
                });
                pieces[into] = timed(at -> {
                    for (int role = 0; role < LayerExtents.ROLES; role++) {
                        MemorySegment.copy(staged.memory(), at + role * (SLOT / 3), plain, at + role * (SLOT / 3), SLOT / 3);
                    }
                });
                whole[into] = timed(at -> MemorySegment.copy(staged.memory(), at, plain, at, SLOT));
            }
            report("fill of device slots, expert by expert", fill, pieces, whole);
            report("fill where matrices were staged apart", apart, pieces, whole);
            report("plain copy, matrix by matrix", pieces, pieces, whole);
            report("plain copy, expert by expert", whole, pieces, whole);
            backend.freePinned(staged);
            backend.freeArena(target);
        }
    }

    private interface Copy {

        void slot(long at);
    }

    private static double timed(Copy copy) {
        long begun = System.nanoTime();
        for (long at = 0; at + SLOT <= BYTES; at += SLOT) {
            copy.slot(at);
        }
        return (double) BYTES / (System.nanoTime() - begun);
    }

    private static void report(String what, double[] rates, double[] pieces, double[] whole) {
        double[] toPieces = new double[rates.length];
        double[] toWhole = new double[rates.length];
        for (int i = 0; i < rates.length; i++) {
            toPieces[i] = 100 * rates[i] / pieces[i];
            toWhole[i] = 100 * rates[i] / whole[i];
        }
        System.out.printf(Locale.ROOT, "%-40s %5.2f GB/s, %4.0f %% of plain copies of matrices, %4.0f %% of plain copies of experts%n",
                what,
                ExpertBenchmark.median(rates), ExpertBenchmark.median(toPieces), ExpertBenchmark.median(toWhole));
    }
}

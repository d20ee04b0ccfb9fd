package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DeviceFixture;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.ExpertShape;
import dev.ringside.gpu.ExpertWave;
import dev.ringside.gpu.FeedForward;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.RandomWeights;
import dev.ringside.gpu.RoutingTable;
import dev.ringside.gpu.ScalarReference;
import dev.ringside.gpu.StepRows;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HostDeterminismTest {

    private static final int ROWS = 6;
    private static final int HIDDEN = 512;
    private static final int WIDTH = 128;
    private static final int CHOICES = 2;
    private static final int EXPERTS = 4;

    /** Every operation on matrices, on one backend, from the same input. */
    private static final class Pass implements AutoCloseable {

        private final DeviceFixture device;
        private final StepRows step = new StepRows(ROWS);
        private final Matrix table;
        private final Matrix router;
        private final FeedForward network;
        private final ExpertShape shape;
        private final ExpertWave wave = new ExpertWave(EXPERTS, ROWS * CHOICES);
        private final RoutingTable routing;
        private final DevicePtr x;
        private final DevicePtr ffn;
        private final DevicePtr pairs;
        private final DevicePtr out;

        Pass(int threads, long seed) {
            device = new DeviceFixture(HostBackend.create(threads));
            Random random = new Random(seed);
            table = matrix(GgmlType.Q6_K, 10, HIDDEN, random);
            router = matrix(GgmlType.F32, EXPERTS, HIDDEN, random);
            network = new FeedForward(matrix(GgmlType.Q8_0, WIDTH, HIDDEN, random), matrix(GgmlType.Q5_K, WIDTH, HIDDEN, random),
                    matrix(GgmlType.Q4_0, HIDDEN, WIDTH, random));
            long gate = WIDTH * GgmlType.Q4_K.rowBytes(HIDDEN);
            shape = new ExpertShape(HIDDEN, WIDTH, GgmlType.Q4_K, 0, GgmlType.Q4_K, gate, GgmlType.IQ4_NL, 2 * gate);
            long slot = 2 * gate + HIDDEN * GgmlType.IQ4_NL.rowBytes(WIDTH);
            DevicePtr arena = device.backend.allocate(EXPERTS * slot, "slots");
            for (int e = 0; e < EXPERTS; e++) {
                place(arena, e * slot, RandomWeights.rows(GgmlType.Q4_K, 2 * WIDTH, HIDDEN, random));
                place(arena, e * slot + 2 * gate, RandomWeights.rows(GgmlType.IQ4_NL, HIDDEN, WIDTH, random));
                wave.slotAddress[e] = arena.address() + e * slot;
            }
            routing = new RoutingTable(device.pinned(4L * ROWS * CHOICES), device.pinned(4L * ROWS * CHOICES), CHOICES);
            x = device.floats(ROWS * HIDDEN);
            ffn = device.floats(ROWS * HIDDEN);
            pairs = device.floats(ROWS * CHOICES * HIDDEN);
            out = device.floats(ROWS * HIDDEN);
            step.beginSegment(new long[0], 0);
            for (int r = 0; r < ROWS; r++) {
                step.addRow(random.nextInt(10), r, 0, false);
            }
        }

        private Matrix matrix(GgmlType type, int rows, int columns, Random random) {
            return new Matrix(device.upload(RandomWeights.rows(type, rows, columns, random)), type, rows, columns);
        }

        private void place(DevicePtr arena, long offset, byte[] bytes) {
            device.backend.copyToDevice(java.lang.foreign.MemorySegment.ofArray(bytes), 0, arena, offset, bytes.length, device.stream);
        }

        void run(int rows) {
            device.kernels.beginStep(step);
            device.kernels.embed(table, 1, x);
            device.kernels.feedForward(network, x, rows, ffn);
            device.kernels.route(router, x, rows, 1f, routing);
            int count = 0;
            wave.groups = EXPERTS;
            for (int e = 0; e < EXPERTS; e++) {
                wave.firstPair[e] = count;
                for (int p = 0; p < rows * CHOICES; p++) {
                    if (routing.expert(p / CHOICES, p % CHOICES) == e) {
                        wave.pairs[count++] = p;
                    }
                }
            }
            wave.firstPair[EXPERTS] = count;
            device.kernels.experts(shape, x, wave, CHOICES, pairs);
            device.kernels.combineExperts(pairs, routing, rows, HIDDEN, ffn, null, x, out);
        }

        float[] result(int rows) {
            return device.download(out, rows * HIDDEN);
        }

        @Override
        public void close() {
            device.close();
        }
    }

    @Test
    void anyNumberOfThreadsGivesTheSameBits() {
        long seed = Long.getLong("ringside.test.seed", System.nanoTime());
        float[] expected = null;
        for (int threads = 1; threads <= 3; threads++) {
            try (Pass pass = new Pass(threads, seed)) {
                for (int i = 0; i < 5; i++) {
                    pass.run(ROWS);
                    float[] result = pass.result(ROWS);
                    expected = expected == null ? result : expected;
                    ScalarReference.assertSameBits(result, expected, threads + " threads, run " + i + ", seed " + seed);
                }
            }
        }
    }

    @Test
    void aWarmPassDoesNotAllocate() {
        var bean = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (Pass pass = new Pass(1, 7)) {
            for (int i = 0; i < 2_000; i++) {
                pass.run(1);
            }
            long least = Long.MAX_VALUE;
            // While the compilers still work some vectors are boxed: what counts is where it settles.
            for (int round = 0; round < 300 && least > 1_000; round++) {
                long before = bean.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 200; i++) {
                    pass.run(1 + i % 2);
                }
                least = Math.min(least, bean.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(least).as("bytes allocated by 200 warm passes of five operations each").isLessThan(1_000);
        }
    }
}

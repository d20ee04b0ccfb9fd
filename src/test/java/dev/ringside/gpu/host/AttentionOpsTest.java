package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ringside.gpu.AttentionShape;
import dev.ringside.gpu.BlockSelection;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.Rotary;
import dev.ringside.gpu.StepRows;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttentionOpsTest {

    private static final int PAGE = 16;
    private static final int RATIO = 4;
    private static final int[] LENGTHS = {45, 1, 18};

    private final TestMemory memory = new TestMemory();
    private final Random random = new Random(TestMemory.seed());

    private float[] queryNorm = new float[0];
    private float[] keyNorm = new float[0];
    private float[][][] inputs = new float[0][][];

    @AfterEach
    void free() {
        memory.close();
    }

    @ParameterizedTest
    @CsvSource({"4, 2, 32, true, 32, F32", "3, 1, 64, true, 16, F32", "8, 2, 128, false, 128, F16", "6, 2, 256, true, 64, F16",
        "5, 5, 40, false, 8, F32",
        "3, 1, 20, false, 6, F16", "8, 2, 128, true, 128, Q8", "5, 5, 40, false, 8, Q8", "3, 1, 20, false, 6, Q8"})
    void matchesTheFormulas(int heads, int kvHeads, int headSize, boolean gated, int rotary, KvType type) {
        AttentionShape shape = shape(heads, kvHeads, headSize, gated, rotary, type);
        Stepper stepper = stepper(shape);
        Stepper.Result result = run(1, shape, stepper, stepper.whole(), null);
        double tolerance = type == KvType.Q8 ? 3e-2 : type == KvType.F16 ? 3e-3 : 2e-5;
        for (int s = 0; s < LENGTHS.length; s++) {
            double[] expected = reference(shape, s);
            for (int i = 0; i < expected.length; i++) {
                assertThat((double) result.rows()[4][s][i]).as("seed %d, sequence %d, element %d", TestMemory.seed(), s, i)
                        .isCloseTo(expected[i], within(tolerance));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"4, 2, 32, true, 16, F16", "3, 1, 64, false, 64, F32", "4, 2, 40, true, 16, Q8"})
    void chunksBatchMatesAndThreadsDoNotChangeABit(int heads, int kvHeads, int headSize, boolean gated, int rotary, KvType type) {
        AttentionShape shape = shape(heads, kvHeads, headSize, gated, rotary, type);
        Stepper stepper = stepper(shape);
        float[][] expected = run(1, shape, stepper, stepper.whole(), null).rows()[4];
        assertThat(run(1, shape, stepper, stepper.single(), null).rows()[4]).isDeepEqualTo(expected);
        assertThat(run(3, shape, stepper, stepper.whole(), null).rows()[4]).isDeepEqualTo(expected);
        for (int i = 0; i < 3; i++) {
            assertThat(run(1 + i, shape, stepper, stepper.mixed(random), null).rows()[4]).as("seed %d", TestMemory.seed())
                    .isDeepEqualTo(expected);
        }
    }

    @ParameterizedTest
    @CsvSource({"4, 2, 32, true, 16, F16", "3, 1, 64, false, 64, F32", "4, 2, 40, true, 16, Q8"})
    void keepingEveryBlockGivesTheBitsOfDenseAttention(int heads, int kvHeads, int headSize, boolean gated, int rotary, KvType type) {
        AttentionShape shape = shape(heads, kvHeads, headSize, gated, rotary, type);
        Stepper stepper = stepper(shape);
        float[][] dense = run(1, shape, stepper, stepper.whole(), null).rows()[4];
        assertThat(run(1, shape, stepper, stepper.mixed(random), position -> true).rows()[4]).isDeepEqualTo(dense);
    }

    @Test
    void attendsToKeptBlocksAndTheTailOnly() {
        AttentionShape shape = shape(4, 2, 32, false, 16, KvType.F32);
        Stepper stepper = stepper(shape);
        Kept even = block -> block % 2 == 0;
        Stepper.Result result = run(2, shape, stepper, stepper.mixed(random), even);
        for (int s = 0; s < LENGTHS.length; s++) {
            double[] expected = reference(shape, s, even);
            for (int i = 0; i < expected.length; i++) {
                assertThat((double) result.rows()[4][s][i]).as("seed %d, sequence %d, element %d", TestMemory.seed(), s, i)
                        .isCloseTo(expected[i], within(2e-5));
            }
        }
    }

    @Test
    void interleavedRotationPairsNeighboursAndScalesByTheMagnitude() {
        int position = 77;
        float[] frequencies = Reference.frequencies(12, 1e4);
        float[] x = TestMemory.random(random, 16, 1);
        RotaryTable table = new RotaryTable();
        DevicePtr vector = memory.of(x);
        table.begin(new Rotary(12, memory.of(frequencies), 1.25f, true), 1);
        table.fill(0, position);
        table.rotate(0, vector.address());
        float[] y = TestMemory.read(vector);
        for (int i = 0; i < 6; i++) {
            double angle = position * (double) frequencies[i];
            assertThat((double) y[2 * i]).isCloseTo(1.25 * (x[2 * i] * Math.cos(angle) - x[2 * i + 1] * Math.sin(angle)), within(1e-6));
            assertThat((double) y[2 * i + 1]).isCloseTo(1.25 * (x[2 * i] * Math.sin(angle) + x[2 * i + 1] * Math.cos(angle)), within(1e-6));
        }
        for (int i = 12; i < 16; i++) {
            assertThat(y[i]).isEqualTo(x[i]);
        }
    }

    @Test
    void rotationIsExactAtFarPositions() {
        int position = 250_001;
        float[] frequencies = Reference.frequencies(64, 1e7);
        float[] x = TestMemory.random(random, 64, 1);
        double[] expected = Reference.widen(x);
        Reference.rope(expected, position, frequencies);
        RotaryTable table = new RotaryTable();
        DevicePtr vector = memory.of(x);
        table.begin(Rotary.neox(64, memory.of(frequencies)), 1);
        table.fill(0, position);
        table.rotate(0, vector.address());
        float[] y = TestMemory.read(vector);
        for (int i = 0; i < 64; i++) {
            assertThat((double) y[i]).isCloseTo(expected[i], within(1e-6));
        }
    }

    @Test
    void rotationFollowsANewPositionAndNewFrequencies() {
        float[] x = TestMemory.random(random, 20, 1);
        RotaryTable table = new RotaryTable();
        for (double base : new double[] {1e4, 1e6}) {
            float[] frequencies = Reference.frequencies(20, base);
            table.begin(Rotary.neox(20, memory.of(frequencies)), 2);
            for (int position : new int[] {0, 7, 8}) {
                double[] expected = Reference.widen(x);
                Reference.rope(expected, position, frequencies);
                DevicePtr vector = memory.of(x);
                table.fill(1, position);
                table.rotate(1, vector.address());
                float[] y = TestMemory.read(vector);
                for (int i = 0; i < 20; i++) {
                    assertThat((double) y[i]).isCloseTo(expected[i], within(1e-6));
                }
            }
        }
    }

    private interface Kept {
        boolean keeps(int block);
    }

    private AttentionShape shape(int heads, int kvHeads, int headSize, boolean gated, int rotary, KvType type) {
        queryNorm = TestMemory.norm(random, headSize);
        keyNorm = TestMemory.norm(random, headSize);
        float[] frequencies = Reference.frequencies(rotary, 1e4);
        long keyBytes = type.pageBytes(PAGE, kvHeads, headSize);
        AttentionShape shape = new AttentionShape(heads, kvHeads, headSize, gated, Rotary.neox(rotary, memory.of(frequencies)),
                memory.of(queryNorm),
                memory.of(keyNorm), 1e-6f, type, PAGE, 64, 64 + keyBytes);
        inputs = new float[5][LENGTHS.length][];
        int[] widths = widths(shape);
        for (int b = 0; b < 3; b++) {
            for (int s = 0; s < LENGTHS.length; s++) {
                inputs[b][s] = TestMemory.random(random, LENGTHS[s] * widths[b], 1);
            }
        }
        return shape;
    }

    private static int[] widths(AttentionShape shape) {
        return new int[] {shape.queryWidth() * (shape.gated() ? 2 : 1), shape.kvWidth(), shape.kvWidth(), shape.queryWidth(),
            shape.queryWidth()};
    }

    private Stepper stepper(AttentionShape shape) {
        float[][][] given = {inputs[0], inputs[1], inputs[2], null, null};
        int pageFloats = (int) ((shape.valueOffset() + (shape.valueOffset() - shape.keyOffset())) / 4) + 1;
        return new Stepper(memory, given, widths(shape), LENGTHS, 1, pageFloats, PAGE);
    }

    private Stepper.Result run(int threads, AttentionShape shape, Stepper stepper, List<List<Stepper.Part>> plan, @Nullable Kept kept) {
        try (WorkerPool pool = new WorkerPool(threads); AttentionOps ops = new AttentionOps(pool)) {
            return stepper.run((rows, b) -> {
                ops.prepare(rows, shape, b[0], b[1], b[2], b[3]);
                ops.attention(rows, shape, b[3], b[0], kept == null ? null : selection(rows, kept), b[4]);
            }, plan, false);
        }
    }

    private BlockSelection selection(StepRows rows, Kept kept) {
        int capacity = 16;
        BlockSelection selection = new BlockSelection(memory.floats(rows.rows() * (1 + capacity)), capacity, RATIO);
        for (int row = 0; row < rows.rows(); row++) {
            long at = selection.data().address() + row * selection.rowBytes();
            int count = 0;
            for (int block = 0; block < (rows.position(row) + 1) / RATIO; block++) {
                if (kept.keeps(block)) {
                    HostMemory.setInt(at + 4L * ++count, block);
                }
            }
            HostMemory.setInt(at, count);
        }
        return selection;
    }

    private double[] reference(AttentionShape shape, int s) {
        return reference(shape, s, block -> true);
    }

    private double[] reference(AttentionShape shape, int s, Kept kept) {
        int size = shape.headSize();
        float[] frequencies = TestMemory.read(shape.rotary().inverseFrequencies());
        double[] queries = Reference.widen(inputs[0][s]);
        double[] keys = Reference.widen(inputs[1][s]);
        double[] values = Reference.widen(inputs[2][s]);
        int stride = size * (shape.gated() ? 2 : 1);
        double[] out = new double[LENGTHS[s] * shape.queryWidth()];
        for (int p = 0; p < LENGTHS[s]; p++) {
            for (int h = 0; h < shape.heads(); h++) {
                int source = p * shape.heads() * stride + h * stride;
                double[] query = Reference.rms(queries, source, size, queryNorm, 0, 1e-6);
                Reference.rope(query, p, frequencies);
                double[] scores = new double[p + 1];
                double max = Double.NEGATIVE_INFINITY;
                for (int t = 0; t <= p; t++) {
                    boolean visible = t >= (p + 1) / RATIO * RATIO || kept.keeps(t / RATIO);
                    int at = t * shape.kvWidth() + h / (shape.heads() / shape.kvHeads()) * size;
                    double[] key = Reference.rms(keys, at, size, keyNorm, 0, 1e-6);
                    Reference.rope(key, t, frequencies);
                    for (int i = 0; i < size; i++) {
                        scores[t] += query[i] * key[i] / Math.sqrt(size);
                    }
                    scores[t] = visible ? scores[t] : Double.NEGATIVE_INFINITY;
                    max = Math.max(max, scores[t]);
                }
                double sum = 0;
                for (int t = 0; t <= p; t++) {
                    scores[t] = Math.exp(scores[t] - max);
                    sum += scores[t];
                }
                for (int i = 0; i < size; i++) {
                    double value = 0;
                    for (int t = 0; t <= p; t++) {
                        value += scores[t] / sum * values[t * shape.kvWidth() + h / (shape.heads() / shape.kvHeads()) * size + i];
                    }
                    double gate = shape.gated() ? Reference.sigmoid(queries[source + size + i]) : 1;
                    out[p * shape.queryWidth() + h * size + i] = value * gate;
                }
            }
        }
        return out;
    }
}

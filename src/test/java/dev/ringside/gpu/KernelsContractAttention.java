package dev.ringside.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What every backend's attention must do. */
public abstract class KernelsContractAttention {

    private static final int PAGE = 16;
    private static final int RATIO = 4;

    private DeviceFixture device;
    private Random random;

    private int[] lengths = {45, 1, 18};
    private float[] queryNorm = new float[0];
    private float[] keyNorm = new float[0];
    private float[][][] inputs = new float[0][][];

    protected abstract DeviceFixture createDevice();

    /** Whether the backend stores keys and values so. */
    protected boolean stores(KvType type) {
        return true;
    }

    /** Whether rows are those of prompts. */
    protected boolean prompts() {
        return false;
    }

    /** What a backend does besides when a step has begun. */
    protected void began(Kernels kernels, StepRows rows) {
        // Nothing, unless a backend has several ways to go.
    }

    @BeforeEach
    void open() {
        device = createDevice();
        random = device.random;
    }

    @AfterEach
    void close() {
        device.close();
    }

    private float[] read(DevicePtr memory) {
        return device.download(memory, (int) (memory.bytes() / 4));
    }

    @ParameterizedTest
    @CsvSource({"4, 2, 32, true, 32, F32", "3, 1, 64, true, 16, F32", "8, 2, 128, false, 128, F16", "6, 2, 256, true, 64, F16",
        "5, 5, 40, false, 8, F32",
        "3, 1, 20, false, 6, F16", "8, 2, 128, true, 128, Q8", "5, 5, 40, false, 8, Q8", "3, 1, 20, false, 6, Q8"})
    void matchesTheFormulas(int heads, int kvHeads, int headSize, boolean gated, int rotary, KvType type) {
        AttentionShape shape = shape(heads, kvHeads, headSize, gated, rotary, type);
        StepRig stepper = stepper(shape);
        StepRig.Result result = run(shape, stepper, stepper.whole(), null);
        double tolerance = type == KvType.Q8 ? 3e-2 : type == KvType.F16 ? 3e-3 : prompts() ? 5e-5 : 2e-5;
        for (int s = 0; s < lengths.length; s++) {
            double[] expected = reference(shape, s);
            for (int i = 0; i < expected.length; i++) {
                assertThat((double) result.rows()[4][s][i]).as("seed %d, sequence %d, element %d", device.seed, s, i)
                        .isCloseTo(expected[i], within(tolerance));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"4, 2, 32, true, 16, F16", "3, 1, 64, false, 64, F32", "4, 2, 40, true, 16, Q8"})
    void chunksAndBatchMatesDoNotChangeABit(int heads, int kvHeads, int headSize, boolean gated, int rotary, KvType type) {
        AttentionShape shape = shape(heads, kvHeads, headSize, gated, rotary, type);
        StepRig stepper = stepper(shape);
        float[][] expected = run(shape, stepper, stepper.whole(), null).rows()[4];
        assertThat(run(shape, stepper, stepper.single(), null).rows()[4]).isDeepEqualTo(expected);
        assertThat(run(shape, stepper, stepper.whole(), null).rows()[4]).isDeepEqualTo(expected);
        for (int i = 0; i < 3; i++) {
            assertThat(run(shape, stepper, stepper.mixed(random), null).rows()[4]).as("seed %d", device.seed)
                    .isDeepEqualTo(expected);
        }
    }

    @ParameterizedTest
    @CsvSource({"4, 2, 32, true, 16, F16", "3, 1, 64, false, 64, F32", "4, 2, 40, true, 16, Q8"})
    void keepingEveryBlockGivesTheBitsOfDenseAttention(int heads, int kvHeads, int headSize, boolean gated, int rotary, KvType type) {
        assumeThat(prompts()).as("prompts attend to chosen blocks as decoding does").isFalse();
        AttentionShape shape = shape(heads, kvHeads, headSize, gated, rotary, type);
        StepRig stepper = stepper(shape);
        float[][] dense = run(shape, stepper, stepper.whole(), null).rows()[4];
        assertThat(run(shape, stepper, stepper.mixed(random), position -> true).rows()[4]).isDeepEqualTo(dense);
    }

    @Test
    void attendsToKeptBlocksAndTheTailOnly() {
        AttentionShape shape = shape(4, 2, 32, false, 16, KvType.F32);
        StepRig stepper = stepper(shape);
        Kept even = block -> block % 2 == 0;
        StepRig.Result result = run(shape, stepper, stepper.mixed(random), even);
        for (int s = 0; s < lengths.length; s++) {
            double[] expected = reference(shape, s, even);
            for (int i = 0; i < expected.length; i++) {
                assertThat((double) result.rows()[4][s][i]).as("seed %d, sequence %d, element %d", device.seed, s, i)
                        .isCloseTo(expected[i], within(2e-5));
            }
        }
    }

    @Test
    void interleavedRotationPairsNeighboursAndScalesByTheMagnitude() {
        int position = 77;
        float[] frequencies = Formulas.frequencies(12, 1e4);
        float[] x = Formulas.random(random, 16, 1);
        AttentionShape shape = new AttentionShape(1, 1, 16, false, new Rotary(12, device.upload(frequencies), 1.25f, true), null, null,
                1e-6f,
                KvType.F32, PAGE, 0, 4L * PAGE * 16);
        StepRows rows = new StepRows(1);
        long page = device.floats(2L * PAGE * 16).address();
        rows.beginSegment(new long[] {page, page, page, page, page}, 0);
        rows.addRow(0, position, 0, false);
        DevicePtr query = device.floats(16);
        DevicePtr in = device.upload(x);
        device.kernels.beginStep(rows);
        device.kernels.prepareAttention(shape, in, in, in, query);
        float[] y = device.download(query, 16);
        float[] key = device.download(new DevicePtr(page + 4L * (position % PAGE) * 16, 64), 16);
        for (int i = 0; i < 6; i++) {
            double angle = position * (double) frequencies[i];
            assertThat((double) y[2 * i]).isCloseTo(1.25 * (x[2 * i] * Math.cos(angle) - x[2 * i + 1] * Math.sin(angle)), within(1e-6));
            assertThat((double) y[2 * i + 1]).isCloseTo(1.25 * (x[2 * i] * Math.sin(angle) + x[2 * i + 1] * Math.cos(angle)), within(1e-6));
        }
        for (int i = 12; i < 16; i++) {
            assertThat(y[i]).isEqualTo(x[i]);
        }
        assertThat(key).as("seed %d", device.seed).isEqualTo(y);
    }

    @Test
    void rotationIsExactAtPositionsBeyondAMillion() {
        int position = 1_048_575;
        float[] frequencies = Formulas.frequencies(64, 1e7);
        double[] expected = Formulas.widen(Formulas.random(random, 64, 1));
        float[] x = new float[64];
        for (int i = 0; i < 64; i++) {
            x[i] = (float) expected[i];
        }
        Formulas.rope(expected, position, frequencies);
        AttentionShape shape = new AttentionShape(1, 1, 64, false, Rotary.neox(64, device.upload(frequencies)), null, null, 1e-6f,
                KvType.F32,
                1 << 20, 0, 0);
        StepRows rows = new StepRows(1);
        long page = device.floats(64).address();
        rows.beginSegment(new long[] {page - 4L * position * 64}, 0);
        rows.addRow(0, position, 0, false);
        DevicePtr query = device.floats(64);
        DevicePtr in = device.upload(x);
        device.kernels.beginStep(rows);
        device.kernels.prepareAttention(shape, in, in, in, query);
        float[] y = device.download(query, 64);
        for (int i = 0; i < 64; i++) {
            assertThat((double) y[i]).as("seed %d, element %d", device.seed, i).isCloseTo(expected[i], within(1e-6));
        }
    }

    @ParameterizedTest
    @CsvSource({"8, 2, 128, false, 128, F16", "12, 1, 64, true, 64, F32", "3, 1, 20, false, 6, F16"})
    void manyKeysMatchTheFormulasAndOneRowAtATimeGivesTheSameBits(int heads, int kvHeads, int headSize, boolean gated, int rotary,
            KvType type) {
        lengths = new int[] {300, 1, 140};
        AttentionShape shape = shape(heads, kvHeads, headSize, gated, rotary, type);
        StepRig stepper = stepper(shape);
        float[][] whole = run(shape, stepper, stepper.whole(), null).rows()[4];
        double tolerance = type == KvType.F16 ? 3e-3 : prompts() ? 5e-5 : 2e-5;
        for (int s = 0; s < lengths.length; s++) {
            double[] expected = reference(shape, s);
            for (int i = 0; i < expected.length; i++) {
                assertThat((double) whole[s][i]).as("seed %d, sequence %d, element %d", device.seed, s, i).isCloseTo(expected[i],
                        within(tolerance));
            }
        }
        assertThat(run(shape, stepper, stepper.single(), null).rows()[4]).as("seed %d", device.seed).isDeepEqualTo(whole);
        @Nullable Kept chosen = prompts() ? null : block -> true;
        assertThat(run(shape, stepper, stepper.mixed(random), chosen).rows()[4]).as("seed %d", device.seed).isDeepEqualTo(whole);
    }

    private interface Kept {
        boolean keeps(int block);
    }

    private AttentionShape shape(int heads, int kvHeads, int headSize, boolean gated, int rotary, KvType type) {
        queryNorm = Formulas.norm(random, headSize);
        keyNorm = Formulas.norm(random, headSize);
        float[] frequencies = Formulas.frequencies(rotary, 1e4);
        assumeThat(stores(type)).as("storage of %s", type).isTrue();
        long keyBytes = type.pageBytes(PAGE, kvHeads, headSize);
        AttentionShape shape = new AttentionShape(heads, kvHeads, headSize, gated, Rotary.neox(rotary, device.upload(frequencies)),
                device.upload(queryNorm),
                device.upload(keyNorm), 1e-6f, type, PAGE, 64, 64 + keyBytes);
        inputs = new float[5][lengths.length][];
        int[] widths = widths(shape);
        for (int b = 0; b < 3; b++) {
            for (int s = 0; s < lengths.length; s++) {
                inputs[b][s] = Formulas.random(random, lengths[s] * widths[b], 1);
            }
        }
        return shape;
    }

    private static int[] widths(AttentionShape shape) {
        return new int[] {shape.queryWidth() * (shape.gated() ? 2 : 1), shape.kvWidth(), shape.kvWidth(), shape.queryWidth(),
            shape.queryWidth()};
    }

    private StepRig stepper(AttentionShape shape) {
        float[][][] given = {inputs[0], inputs[1], inputs[2], null, null};
        int pageFloats = (int) ((shape.valueOffset() + (shape.valueOffset() - shape.keyOffset())) / 4) + 1;
        return new StepRig(device, given, widths(shape), lengths, 1, pageFloats, PAGE).prompts(prompts());
    }

    private StepRig.Result run(AttentionShape shape, StepRig stepper, List<List<StepRig.Part>> plan, @Nullable Kept kept) {
        return stepper.run((rows, b) -> {
            began(device.kernels, rows);
            if (kept == null) {
                device.kernels.attend(shape, b[0], b[1], b[2], b[3], b[4]);
            } else {
                device.kernels.prepareAttention(shape, b[0], b[1], b[2], b[3]);
                device.kernels.attention(shape, b[3], b[0], selection(rows, kept), b[4]);
            }
        }, plan, false);
    }

    private BlockSelection selection(StepRows rows, Kept kept) {
        int capacity = 80;
        ByteBuffer table = ByteBuffer.allocate(4 * rows.rows() * (1 + capacity)).order(ByteOrder.nativeOrder());
        for (int row = 0; row < rows.rows(); row++) {
            int at = row * (1 + capacity);
            int count = 0;
            for (int block = 0; block < (rows.position(row) + 1) / RATIO; block++) {
                if (kept.keeps(block)) {
                    table.putInt(4 * (at + ++count), block);
                }
            }
            table.putInt(4 * at, count);
        }
        return new BlockSelection(device.upload(table.array()), capacity, RATIO);
    }

    private double[] reference(AttentionShape shape, int s) {
        return reference(shape, s, block -> true);
    }

    private double[] reference(AttentionShape shape, int s, Kept kept) {
        int size = shape.headSize();
        float[] frequencies = read(shape.rotary().inverseFrequencies());
        double[] queries = Formulas.widen(inputs[0][s]);
        double[] keys = Formulas.widen(inputs[1][s]);
        double[] values = Formulas.widen(inputs[2][s]);
        int stride = size * (shape.gated() ? 2 : 1);
        double[] out = new double[lengths[s] * shape.queryWidth()];
        for (int p = 0; p < lengths[s]; p++) {
            for (int h = 0; h < shape.heads(); h++) {
                int source = p * shape.heads() * stride + h * stride;
                double[] query = Formulas.rms(queries, source, size, queryNorm, 0, 1e-6);
                Formulas.rope(query, p, frequencies);
                double[] scores = new double[p + 1];
                double max = Double.NEGATIVE_INFINITY;
                for (int t = 0; t <= p; t++) {
                    boolean visible = t >= (p + 1) / RATIO * RATIO || kept.keeps(t / RATIO);
                    int at = t * shape.kvWidth() + h / (shape.heads() / shape.kvHeads()) * size;
                    double[] key = Formulas.rms(keys, at, size, keyNorm, 0, 1e-6);
                    Formulas.rope(key, t, frequencies);
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
                    double gate = shape.gated() ? Formulas.sigmoid(queries[source + size + i]) : 1;
                    out[p * shape.queryWidth() + h * size + i] = value * gate;
                }
            }
        }
        return out;
    }
}

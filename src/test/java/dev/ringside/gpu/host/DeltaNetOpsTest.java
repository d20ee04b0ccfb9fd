package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ringside.gpu.DeltaNetShape;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeltaNetOpsTest {

    private static final int[] LENGTHS = {23, 1, 14};
    private static final int OUT = 4;

    private final TestMemory memory = new TestMemory();
    private final Random random = new Random(TestMemory.seed());
    private float[][][] inputs = new float[0][][];

    @AfterEach
    void free() {
        memory.close();
    }

    @ParameterizedTest
    @CsvSource({"2, 6, 32, 32, 4, false, true", "2, 6, 32, 64, 4, true, false", "1, 1, 128, 128, 4, true, false",
        "3, 3, 20, 84, 2, false, false"})
    void matchesTheRecurrence(int keyHeads, int valueHeads, int keySize, int valueSize, int kernel, boolean grouped, boolean sigmoid) {
        DeltaNetShape shape = shape(keyHeads, valueHeads, keySize, valueSize, kernel, grouped, sigmoid);
        Stepper stepper = stepper(shape);
        Stepper.Result result = run(1, shape, stepper, stepper.whole(), false);
        for (int s = 0; s < LENGTHS.length; s++) {
            double[] expected = reference(shape, s);
            for (int i = 0; i < expected.length; i++) {
                assertThat((double) result.rows()[OUT][s][i]).as("seed %d, sequence %d, element %d", TestMemory.seed(), s, i)
                        .isCloseTo(expected[i], within(2e-4 * (1 + Math.abs(expected[i]))));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 6, 32, 32, 4, false, true", "1, 2, 128, 128, 4, true, false", "3, 3, 20, 84, 2, false, false"})
    void chunksBatchMatesAndThreadsDoNotChangeABit(int keyHeads, int valueHeads, int keySize, int valueSize, int kernel, boolean grouped,
            boolean sigmoid) {
        DeltaNetShape shape = shape(keyHeads, valueHeads, keySize, valueSize, kernel, grouped, sigmoid);
        Stepper stepper = stepper(shape);
        float[][] expected = run(1, shape, stepper, stepper.whole(), false).rows()[OUT];
        assertThat(run(1, shape, stepper, stepper.single(), false).rows()[OUT]).isDeepEqualTo(expected);
        assertThat(run(3, shape, stepper, stepper.whole(), true).rows()[OUT]).isDeepEqualTo(expected);
        for (int i = 0; i < 3; i++) {
            assertThat(run(1 + i, shape, stepper, stepper.mixed(random), i == 1).rows()[OUT]).as("seed %d", TestMemory.seed())
                    .isDeepEqualTo(expected);
        }
    }

    @Test
    void aKeptPlaneIsThePlaneOfAShorterStep() {
        DeltaNetShape shape = shape(2, 4, 32, 80, 4, false, true);
        Stepper stepper = stepper(shape);
        float[][][] shorter = run(1, shape, stepper, stepper.single(), false).planes();
        assertThat(run(2, shape, stepper, stepper.whole(), true).planes()).isDeepEqualTo(shorter);
        float[][][] some = run(1, shape, stepper, stepper.mixed(random), false).planes();
        for (int s = 0; s < LENGTHS.length; s++) {
            for (int p = 0; p < LENGTHS[s]; p++) {
                if (some[s][p] != null) {
                    assertThat(some[s][p]).as("seed %d, sequence %d, position %d", TestMemory.seed(), s, p).isEqualTo(shorter[s][p]);
                }
            }
        }
    }

    private DeltaNetShape shape(int keyHeads, int valueHeads, int keySize, int valueSize, int kernel, boolean grouped, boolean sigmoid) {
        int channels = 2 * keyHeads * keySize + valueHeads * valueSize;
        float[] decay = TestMemory.random(random, valueHeads, 1);
        for (int i = 0; i < valueHeads; i++) {
            decay[i] = -Math.abs(decay[i]);
        }
        DeltaNetShape shape = new DeltaNetShape(keyHeads, valueHeads, keySize, valueSize, kernel, grouped, sigmoid,
                memory.of(TestMemory.random(random, channels * kernel, 0.5)), memory.of(TestMemory.random(random, valueHeads, 1)),
                memory.of(decay), memory.of(TestMemory.norm(random, valueSize)), 1e-6f, 16L + 4L * (kernel - 1) * channels, 16);
        int[] widths = widths(shape);
        inputs = new float[4][LENGTHS.length][];
        for (int b = 0; b < 4; b++) {
            for (int s = 0; s < LENGTHS.length; s++) {
                inputs[b][s] = TestMemory.random(random, LENGTHS[s] * widths[b], b == 2 ? 8 : 1);
            }
        }
        return shape;
    }

    private static int[] widths(DeltaNetShape shape) {
        return new int[] {shape.channels(), shape.valueWidth(), shape.valueHeads(), shape.valueHeads(), shape.valueWidth()};
    }

    private Stepper stepper(DeltaNetShape shape) {
        float[][][] given = {inputs[0], inputs[1], inputs[2], inputs[3], null};
        int planeFloats = 4 + (shape.kernel() - 1) * shape.channels() + shape.valueHeads() * shape.keySize() * shape.valueSize();
        return new Stepper(memory, given, widths(shape), LENGTHS, planeFloats, 1, 64);
    }

    private static Stepper.Result run(int threads, DeltaNetShape shape, Stepper stepper, List<List<Stepper.Part>> plan, boolean keepAll) {
        try (WorkerPool pool = new WorkerPool(threads); DeltaNetOps ops = new DeltaNetOps(pool)) {
            return stepper.run((rows, b) -> ops.deltaNet(rows, shape, b[0], b[1], b[2], b[3], b[4]), plan, keepAll);
        }
    }

    private double[] reference(DeltaNetShape shape, int s) {
        int channels = shape.channels();
        int dk = shape.keySize();
        int dv = shape.valueSize();
        float[] weights = TestMemory.read(shape.convolution());
        float[] bias = TestMemory.read(shape.timeBias());
        float[] decay = TestMemory.read(shape.decay());
        float[] norm = TestMemory.read(shape.norm());
        double[][][] state = new double[shape.valueHeads()][dk][dv];
        double[] out = new double[LENGTHS[s] * shape.valueWidth()];
        for (int t = 0; t < LENGTHS[s]; t++) {
            double[] m = new double[channels];
            for (int c = 0; c < channels; c++) {
                for (int j = 0; j < shape.kernel(); j++) {
                    int from = t - (shape.kernel() - 1) + j;
                    m[c] += from < 0 ? 0 : (double) weights[c * shape.kernel() + j] * inputs[0][s][from * channels + c];
                }
                m[c] = Reference.silu(m[c]);
            }
            for (int h = 0; h < shape.valueHeads(); h++) {
                int keyHead = shape.groupedHeads() ? h / (shape.valueHeads() / shape.keyHeads()) : h % shape.keyHeads();
                double[] q = l2(m, keyHead * dk, dk);
                double[] k = l2(m, (shape.keyHeads() + keyHead) * dk, dk);
                int at = t * shape.valueHeads() + h;
                double g = Math.exp(decay[h] * Reference.softplus((double) inputs[2][s][at] + bias[h]));
                double rate = Reference.sigmoid(inputs[3][s][at]);
                double[] o = new double[dv];
                for (int v = 0; v < dv; v++) {
                    double old = 0;
                    for (int i = 0; i < dk; i++) {
                        state[h][i][v] *= g;
                        old += state[h][i][v] * k[i];
                    }
                    double u = rate * (m[2 * shape.keyHeads() * dk + h * dv + v] - old);
                    for (int i = 0; i < dk; i++) {
                        state[h][i][v] += k[i] * u;
                        o[v] += state[h][i][v] * q[i] / Math.sqrt(dk);
                    }
                }
                double[] y = Reference.rms(o, 0, dv, norm, 0, 1e-6);
                for (int v = 0; v < dv; v++) {
                    int index = t * shape.valueWidth() + h * dv + v;
                    double z = inputs[1][s][index];
                    out[index] = y[v] * (shape.sigmoidGate() ? Reference.sigmoid(z) : Reference.silu(z));
                }
            }
        }
        return out;
    }

    private static double[] l2(double[] x, int from, int count) {
        double sum = 1e-6;
        for (int i = 0; i < count; i++) {
            sum += x[from + i] * x[from + i];
        }
        double[] y = new double[count];
        for (int i = 0; i < count; i++) {
            y[i] = x[from + i] / Math.sqrt(sum);
        }
        return y;
    }
}

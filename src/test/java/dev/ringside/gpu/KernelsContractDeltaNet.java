package dev.ringside.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What every backend's gated DeltaNet must do. */
public abstract class KernelsContractDeltaNet {

    private static final int[] LENGTHS = {23, 1, 14};
    private static final int OUT = 4;

    private DeviceFixture device;
    private Random random;
    private float[][][] inputs = new float[0][][];

    protected abstract DeviceFixture createDevice();

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
    @CsvSource({"2, 6, 32, 32, 4, false, true", "2, 6, 32, 64, 4, true, false", "1, 1, 128, 128, 4, true, false",
        "3, 3, 20, 84, 2, false, false"})
    void matchesTheRecurrence(int keyHeads, int valueHeads, int keySize, int valueSize, int kernel, boolean grouped, boolean sigmoid) {
        DeltaNetShape shape = shape(keyHeads, valueHeads, keySize, valueSize, kernel, grouped, sigmoid);
        StepRig stepper = stepper(shape);
        StepRig.Result result = run(shape, stepper, stepper.whole(), false);
        for (int s = 0; s < LENGTHS.length; s++) {
            double[] expected = reference(shape, s);
            for (int i = 0; i < expected.length; i++) {
                assertThat((double) result.rows()[OUT][s][i]).as("seed %d, sequence %d, element %d", device.seed, s, i)
                        .isCloseTo(expected[i], within(2e-4 * (1 + Math.abs(expected[i]))));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 6, 32, 32, 4, false, true", "1, 2, 128, 128, 4, true, false", "3, 3, 20, 84, 2, false, false"})
    void chunksAndBatchMatesDoNotChangeABit(int keyHeads, int valueHeads, int keySize, int valueSize, int kernel, boolean grouped,
            boolean sigmoid) {
        DeltaNetShape shape = shape(keyHeads, valueHeads, keySize, valueSize, kernel, grouped, sigmoid);
        StepRig stepper = stepper(shape);
        float[][] expected = run(shape, stepper, stepper.whole(), false).rows()[OUT];
        assertThat(run(shape, stepper, stepper.single(), false).rows()[OUT]).isDeepEqualTo(expected);
        assertThat(run(shape, stepper, stepper.whole(), true).rows()[OUT]).isDeepEqualTo(expected);
        for (int i = 0; i < 3; i++) {
            assertThat(run(shape, stepper, stepper.mixed(random), i == 1).rows()[OUT]).as("seed %d", device.seed)
                    .isDeepEqualTo(expected);
        }
    }

    @Test
    void aKeptPlaneIsThePlaneOfAShorterStep() {
        DeltaNetShape shape = shape(2, 4, 32, 80, 4, false, true);
        StepRig stepper = stepper(shape);
        float[][][] shorter = run(shape, stepper, stepper.single(), false).planes();
        assertThat(run(shape, stepper, stepper.whole(), true).planes()).isDeepEqualTo(shorter);
        float[][][] some = run(shape, stepper, stepper.mixed(random), false).planes();
        for (int s = 0; s < LENGTHS.length; s++) {
            for (int p = 0; p < LENGTHS[s]; p++) {
                if (some[s][p] != null) {
                    assertThat(some[s][p]).as("seed %d, sequence %d, position %d", device.seed, s, p).isEqualTo(shorter[s][p]);
                }
            }
        }
    }

    private DeltaNetShape shape(int keyHeads, int valueHeads, int keySize, int valueSize, int kernel, boolean grouped, boolean sigmoid) {
        int channels = 2 * keyHeads * keySize + valueHeads * valueSize;
        float[] decay = Formulas.random(random, valueHeads, 1);
        for (int i = 0; i < valueHeads; i++) {
            decay[i] = -Math.abs(decay[i]);
        }
        DeltaNetShape shape = new DeltaNetShape(keyHeads, valueHeads, keySize, valueSize, kernel, grouped, sigmoid,
                device.upload(Formulas.random(random, channels * kernel, 0.5)), device.upload(Formulas.random(random, valueHeads, 1)),
                device.upload(decay), device.upload(Formulas.norm(random, valueSize)), 1e-6f, 16L + 4L * (kernel - 1) * channels, 16);
        int[] widths = widths(shape);
        inputs = new float[4][LENGTHS.length][];
        for (int b = 0; b < 4; b++) {
            for (int s = 0; s < LENGTHS.length; s++) {
                inputs[b][s] = Formulas.random(random, LENGTHS[s] * widths[b], b == 2 ? 8 : 1);
            }
        }
        return shape;
    }

    private static int[] widths(DeltaNetShape shape) {
        return new int[] {shape.channels(), shape.valueWidth(), shape.valueHeads(), shape.valueHeads(), shape.valueWidth()};
    }

    private StepRig stepper(DeltaNetShape shape) {
        float[][][] given = {inputs[0], inputs[1], inputs[2], inputs[3], null};
        int planeFloats = 4 + (shape.kernel() - 1) * shape.channels() + shape.valueHeads() * shape.keySize() * shape.valueSize();
        return new StepRig(device, given, widths(shape), LENGTHS, planeFloats, 1, 64).prompts(prompts());
    }

    private StepRig.Result run(DeltaNetShape shape, StepRig stepper, List<List<StepRig.Part>> plan, boolean keepAll) {
        return stepper.run((rows, b) -> {
            began(device.kernels, rows);
            device.kernels.deltaNet(shape, b[0], b[1], b[2], b[3], b[4]);
        }, plan, keepAll);
    }

    private double[] reference(DeltaNetShape shape, int s) {
        int channels = shape.channels();
        int dk = shape.keySize();
        int dv = shape.valueSize();
        float[] weights = read(shape.convolution());
        float[] bias = read(shape.timeBias());
        float[] decay = read(shape.decay());
        float[] norm = read(shape.norm());
        double[][][] state = new double[shape.valueHeads()][dk][dv];
        double[] out = new double[LENGTHS[s] * shape.valueWidth()];
        for (int t = 0; t < LENGTHS[s]; t++) {
            double[] m = new double[channels];
            for (int c = 0; c < channels; c++) {
                for (int j = 0; j < shape.kernel(); j++) {
                    int from = t - (shape.kernel() - 1) + j;
                    m[c] += from < 0 ? 0 : (double) weights[c * shape.kernel() + j] * inputs[0][s][from * channels + c];
                }
                m[c] = Formulas.silu(m[c]);
            }
            for (int h = 0; h < shape.valueHeads(); h++) {
                int keyHead = shape.groupedHeads() ? h / (shape.valueHeads() / shape.keyHeads()) : h % shape.keyHeads();
                double[] q = l2(m, keyHead * dk, dk);
                double[] k = l2(m, (shape.keyHeads() + keyHead) * dk, dk);
                int at = t * shape.valueHeads() + h;
                double g = Math.exp(decay[h] * Formulas.softplus((double) inputs[2][s][at] + bias[h]));
                double rate = Formulas.sigmoid(inputs[3][s][at]);
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
                double[] y = Formulas.rms(o, 0, dv, norm, 0, 1e-6);
                for (int v = 0; v < dv; v++) {
                    int index = t * shape.valueWidth() + h * dv + v;
                    double z = inputs[1][s][index];
                    out[index] = y[v] * (shape.sigmoidGate() ? Formulas.sigmoid(z) : Formulas.silu(z));
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

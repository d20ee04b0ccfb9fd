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

/** What every backend's n-gram embedding must do. */
public abstract class KernelsContractNGram {

    private static final int[] LENGTHS = {31, 2, 12};
    private static final int STREAMS = 2;

    private DeviceFixture device;
    private Random random;
    private float[][][] inputs = new float[0][][];

    protected abstract DeviceFixture createDevice();

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
    @CsvSource({"4, 64, 4, 3", "2, 300, 4, 3", "1, 20, 2, 1", "3, 37, 3, 2"})
    void matchesTheFormulas(int streams, int width, int kernel, int dilation) {
        NGramShape shape = shape(streams, width, kernel, dilation);
        StepRig stepper = stepper(shape);
        StepRig.Result result = run(shape, stepper, stepper.whole(), false);
        for (int s = 0; s < LENGTHS.length; s++) {
            double[] expected = reference(shape, s);
            for (int i = 0; i < expected.length; i++) {
                assertThat((double) result.rows()[STREAMS][s][i]).as("seed %d, sequence %d, element %d", device.seed, s, i)
                        .isCloseTo(expected[i], within(2e-5 * (1 + Math.abs(expected[i]))));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"4, 64, 4, 3", "2, 300, 4, 3", "3, 37, 3, 2"})
    void chunksAndBatchMatesDoNotChangeABit(int streams, int width, int kernel, int dilation) {
        NGramShape shape = shape(streams, width, kernel, dilation);
        StepRig stepper = stepper(shape);
        float[][] expected = run(shape, stepper, stepper.whole(), false).rows()[STREAMS];
        assertThat(run(shape, stepper, stepper.single(), false).rows()[STREAMS]).isDeepEqualTo(expected);
        assertThat(run(shape, stepper, stepper.whole(), true).rows()[STREAMS]).isDeepEqualTo(expected);
        for (int i = 0; i < 3; i++) {
            assertThat(run(shape, stepper, stepper.mixed(random), i == 1).rows()[STREAMS]).as("seed %d", device.seed)
                    .isDeepEqualTo(expected);
        }
    }

    @Test
    void aKeptPlaneIsThePlaneOfAShorterStep() {
        NGramShape shape = shape(2, 37, 4, 3);
        StepRig stepper = stepper(shape);
        float[][][] shorter = run(shape, stepper, stepper.single(), false).planes();
        assertThat(run(shape, stepper, stepper.whole(), true).planes()).isDeepEqualTo(shorter);
    }

    private NGramShape shape(int streams, int width, int kernel, int dilation) {
        int flat = streams * width;
        inputs = new float[3][LENGTHS.length][];
        for (int s = 0; s < LENGTHS.length; s++) {
            inputs[0][s] = Formulas.random(random, LENGTHS[s] * flat, 1);
            inputs[1][s] = Formulas.random(random, LENGTHS[s] * width, 1);
            inputs[2][s] = Formulas.random(random, LENGTHS[s] * flat, 2);
        }
        return new NGramShape(streams, width, kernel, dilation, device.upload(Formulas.norm(random, flat)),
                device.upload(Formulas.norm(random, flat)), device.upload(Formulas.norm(random, flat)),
                device.upload(Formulas.random(random, flat * kernel, 0.5)), 1e-6f, 20);
    }

    private StepRig stepper(NGramShape shape) {
        int flat = shape.streams() * shape.width();
        return new StepRig(device, inputs, new int[] {flat, shape.width(), flat}, LENGTHS, 5 + shape.historyRows() * flat, 1, 64);
    }

    private StepRig.Result run(NGramShape shape, StepRig stepper, List<List<StepRig.Part>> plan, boolean keepAll) {
        return stepper.run((rows, b) -> device.kernels.nGramEmbedding(shape, b[0], b[1], b[2]), plan, keepAll);
    }

    private double[] reference(NGramShape shape, int s) {
        int width = shape.width();
        int flat = shape.streams() * width;
        float[] weights = read(shape.convolution());
        double[] keys = Formulas.widen(inputs[0][s]);
        double[] x = Formulas.widen(inputs[2][s]);
        double[][] normed = new double[LENGTHS[s]][flat];
        double[] out = x.clone();
        for (int t = 0; t < LENGTHS[s]; t++) {
            for (int c = 0; c < shape.streams(); c++) {
                int at = t * flat + c * width;
                double[] key = Formulas.rms(keys, at, width, read(shape.keyNorm()), c * width, 1e-6);
                double[] query = Formulas.rms(x, at, width, read(shape.queryNorm()), c * width, 1e-6);
                double score = 0;
                for (int i = 0; i < width; i++) {
                    score += key[i] * query[i] / Math.sqrt(width);
                }
                double gate = Formulas.sigmoid(Math.signum(score) * Math.sqrt(Math.max(Math.abs(score), 1e-6)));
                double[] v = new double[width];
                for (int i = 0; i < width; i++) {
                    v[i] = gate * inputs[1][s][t * width + i];
                    out[at + i] += v[i];
                }
                System.arraycopy(Formulas.rms(v, 0, width, read(shape.convolutionNorm()), c * width, 1e-6), 0, normed[t], c * width,
                        width);
            }
            for (int ch = 0; ch < flat; ch++) {
                double sum = 0;
                for (int k = 0; k < shape.kernel(); k++) {
                    int from = t - (shape.kernel() - 1 - k) * shape.dilation();
                    sum += from < 0 ? 0 : weights[ch * shape.kernel() + k] * normed[from][ch];
                }
                out[t * flat + ch] += Formulas.silu(sum);
            }
        }
        return out;
    }
}

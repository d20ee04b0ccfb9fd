package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ringside.gpu.NGramShape;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NGramOpsTest {

    private static final int[] LENGTHS = {31, 2, 12};
    private static final int STREAMS = 2;

    private final TestMemory memory = new TestMemory();
    private final Random random = new Random(TestMemory.seed());
    private float[][][] inputs = new float[0][][];

    @AfterEach
    void free() {
        memory.close();
    }

    @ParameterizedTest
    @CsvSource({"4, 64, 4, 3", "2, 300, 4, 3", "1, 20, 2, 1", "3, 37, 3, 2"})
    void matchesTheFormulas(int streams, int width, int kernel, int dilation) {
        NGramShape shape = shape(streams, width, kernel, dilation);
        Stepper stepper = stepper(shape);
        Stepper.Result result = run(1, shape, stepper, stepper.whole(), false);
        for (int s = 0; s < LENGTHS.length; s++) {
            double[] expected = reference(shape, s);
            for (int i = 0; i < expected.length; i++) {
                assertThat((double) result.rows()[STREAMS][s][i]).as("seed %d, sequence %d, element %d", TestMemory.seed(), s, i)
                        .isCloseTo(expected[i], within(2e-5 * (1 + Math.abs(expected[i]))));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"4, 64, 4, 3", "2, 300, 4, 3", "3, 37, 3, 2"})
    void chunksBatchMatesAndThreadsDoNotChangeABit(int streams, int width, int kernel, int dilation) {
        NGramShape shape = shape(streams, width, kernel, dilation);
        Stepper stepper = stepper(shape);
        float[][] expected = run(1, shape, stepper, stepper.whole(), false).rows()[STREAMS];
        assertThat(run(1, shape, stepper, stepper.single(), false).rows()[STREAMS]).isDeepEqualTo(expected);
        assertThat(run(3, shape, stepper, stepper.whole(), true).rows()[STREAMS]).isDeepEqualTo(expected);
        for (int i = 0; i < 3; i++) {
            assertThat(run(1 + i, shape, stepper, stepper.mixed(random), i == 1).rows()[STREAMS]).as("seed %d", TestMemory.seed())
                    .isDeepEqualTo(expected);
        }
    }

    @Test
    void aKeptPlaneIsThePlaneOfAShorterStep() {
        NGramShape shape = shape(2, 37, 4, 3);
        Stepper stepper = stepper(shape);
        float[][][] shorter = run(1, shape, stepper, stepper.single(), false).planes();
        assertThat(run(2, shape, stepper, stepper.whole(), true).planes()).isDeepEqualTo(shorter);
    }

    private NGramShape shape(int streams, int width, int kernel, int dilation) {
        int flat = streams * width;
        inputs = new float[3][LENGTHS.length][];
        for (int s = 0; s < LENGTHS.length; s++) {
            inputs[0][s] = TestMemory.random(random, LENGTHS[s] * flat, 1);
            inputs[1][s] = TestMemory.random(random, LENGTHS[s] * width, 1);
            inputs[2][s] = TestMemory.random(random, LENGTHS[s] * flat, 2);
        }
        return new NGramShape(streams, width, kernel, dilation, memory.of(TestMemory.norm(random, flat)),
                memory.of(TestMemory.norm(random, flat)), memory.of(TestMemory.norm(random, flat)),
                memory.of(TestMemory.random(random, flat * kernel, 0.5)), 1e-6f, 20);
    }

    private Stepper stepper(NGramShape shape) {
        int flat = shape.streams() * shape.width();
        return new Stepper(memory, inputs, new int[] {flat, shape.width(), flat}, LENGTHS, 5 + shape.historyRows() * flat, 1, 64);
    }

    private static Stepper.Result run(int threads, NGramShape shape, Stepper stepper, List<List<Stepper.Part>> plan, boolean keepAll) {
        try (WorkerPool pool = new WorkerPool(threads); NGramOps ops = new NGramOps(pool)) {
            return stepper.run((rows, b) -> ops.nGramEmbedding(rows, shape, b[0], b[1], b[2]), plan, keepAll);
        }
    }

    private double[] reference(NGramShape shape, int s) {
        int width = shape.width();
        int flat = shape.streams() * width;
        float[] weights = TestMemory.read(shape.convolution());
        double[] keys = Reference.widen(inputs[0][s]);
        double[] x = Reference.widen(inputs[2][s]);
        double[][] normed = new double[LENGTHS[s]][flat];
        double[] out = x.clone();
        for (int t = 0; t < LENGTHS[s]; t++) {
            for (int c = 0; c < shape.streams(); c++) {
                int at = t * flat + c * width;
                double[] key = Reference.rms(keys, at, width, TestMemory.read(shape.keyNorm()), c * width, 1e-6);
                double[] query = Reference.rms(x, at, width, TestMemory.read(shape.queryNorm()), c * width, 1e-6);
                double score = 0;
                for (int i = 0; i < width; i++) {
                    score += key[i] * query[i] / Math.sqrt(width);
                }
                double gate = Reference.sigmoid(Math.signum(score) * Math.sqrt(Math.max(Math.abs(score), 1e-6)));
                double[] v = new double[width];
                for (int i = 0; i < width; i++) {
                    v[i] = gate * inputs[1][s][t * width + i];
                    out[at + i] += v[i];
                }
                System.arraycopy(Reference.rms(v, 0, width, TestMemory.read(shape.convolutionNorm()), c * width, 1e-6), 0, normed[t],
                        c * width,
                        width);
            }
            for (int ch = 0; ch < flat; ch++) {
                double sum = 0;
                for (int k = 0; k < shape.kernel(); k++) {
                    int from = t - (shape.kernel() - 1 - k) * shape.dilation();
                    sum += from < 0 ? 0 : weights[ch * shape.kernel() + k] * normed[from][ch];
                }
                out[t * flat + ch] += Reference.silu(sum);
            }
        }
        return out;
    }
}

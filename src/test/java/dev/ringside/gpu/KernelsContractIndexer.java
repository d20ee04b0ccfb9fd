package dev.ringside.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What every backend's indexer must do. */
public abstract class KernelsContractIndexer {

    private static final int PAGE = 16;
    private static final int RATIO = 4;
    private static final int[] LENGTHS = {70, 3, 33};
    private static final int SELECTION = 2;

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
    @CsvSource({"4, 32, 16, 5", "4, 128, 64, 3", "1, 64, 64, 1", "3, 20, 6, 7"})
    void keepsTheBestBlocksByTheFormula(int heads, int headSize, int rotary, int topBlocks) {
        IndexerShape shape = shape(heads, headSize, rotary, topBlocks);
        StepRig stepper = stepper(shape, topBlocks);
        StepRig.Result result = run(shape, stepper, stepper.whole(), topBlocks, false);
        for (int s = 0; s < LENGTHS.length; s++) {
            double[][] keys = blockKeys(shape, s);
            for (int p = 0; p < LENGTHS[s]; p++) {
                int[] kept = kept(result, s, p, topBlocks);
                double[] scores = scores(shape, s, p, keys);
                assertThat(kept).as("seed %d, sequence %d, position %d", device.seed, s, p).hasSize(Math.min(topBlocks, (p + 1) / RATIO));
                assertKeptAreBest(kept, scores);
            }
        }
    }

    private static void assertKeptAreBest(int[] kept, double[] scores) {
        boolean[] chosen = new boolean[scores.length];
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < kept.length; i++) {
            assertThat(kept[i]).isGreaterThan(i == 0 ? -1 : kept[i - 1]).isLessThan(scores.length);
            chosen[kept[i]] = true;
            least = Math.min(least, scores[kept[i]]);
        }
        for (int b = 0; b < scores.length; b++) {
            if (!chosen[b]) {
                assertThat(scores[b]).isLessThan(least + 1e-5);
                if (least == 0) {
                    assertThat(b).as("a block that ties at 0 and was left out").isGreaterThan(lastTied(kept, scores));
                }
            }
        }
    }

    private static int lastTied(int[] kept, double[] scores) {
        int last = -1;
        for (int block : kept) {
            if (scores[block] == 0) {
                last = block;
            }
        }
        return last;
    }

    @Test
    void finishedBlockKeysLieInTheirPages() {
        IndexerShape shape = shape(2, 32, 16, 4);
        StepRig stepper = stepper(shape, 4);
        StepRig.Result result = run(shape, stepper, stepper.mixed(random), 4, false);
        for (int s = 0; s < LENGTHS.length; s++) {
            double[][] keys = blockKeys(shape, s);
            for (int b = 0; b < keys.length; b++) {
                long at = result.pages()[s][b / (PAGE / RATIO)] + shape.blockKeyOffset() + 4L * (b % (PAGE / RATIO)) * 32;
                float[] key = device.download(new DevicePtr(at, 128), 32);
                for (int i = 0; i < 32; i++) {
                    assertThat((double) key[i]).isCloseTo(keys[b][i], within(1e-5));
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"4, 32, 16, 5", "3, 20, 6, 2"})
    void chunksAndBatchMatesDoNotChangeASelection(int heads, int headSize, int rotary, int topBlocks) {
        IndexerShape shape = shape(heads, headSize, rotary, topBlocks);
        StepRig stepper = stepper(shape, topBlocks);
        int[][] expected = selections(run(shape, stepper, stepper.whole(), topBlocks, false));
        assertThat(selections(run(shape, stepper, stepper.single(), topBlocks, false))).isDeepEqualTo(expected);
        assertThat(selections(run(shape, stepper, stepper.whole(), topBlocks, true))).isDeepEqualTo(expected);
        for (int i = 0; i < 3; i++) {
            assertThat(selections(run(shape, stepper, stepper.mixed(random), topBlocks, false))).as("seed %d", device.seed)
                    .isDeepEqualTo(expected);
        }
    }

    @Test
    void aKeptPlaneIsThePlaneOfAShorterStep() {
        IndexerShape shape = shape(2, 20, 8, 4);
        StepRig stepper = stepper(shape, 4);
        float[][][] shorter = run(shape, stepper, stepper.single(), 4, false).planes();
        assertThat(run(shape, stepper, stepper.whole(), 4, true).planes()).isDeepEqualTo(shorter);
    }

    @Test
    void aPlaneHoldsTheRawKeysOfTheOpenBlock() {
        IndexerShape shape = shape(2, 20, 8, 4);
        StepRig stepper = stepper(shape, 4);
        float[] plane = run(shape, stepper, stepper.mixed(random), 4, true).planes()[0][41];
        for (int i = 0; i < 40; i++) {
            assertThat(plane[3 + i]).isEqualTo(inputs[1][0][40 * 20 + i]);
        }
    }

    @Test
    void refusesASelectionThatCannotHoldTheBlocks() {
        IndexerShape shape = shape(2, 20, 8, 4);
        BlockSelection small = new BlockSelection(device.floats(4), 3, RATIO);
        device.kernels.beginStep(new StepRows(1));
        assertThatThrownBy(() -> device.kernels.selectBlocks(shape, device.floats(1), device.floats(1), small))
                .hasMessageContaining("3 blocks of 4 tokens").hasMessageContaining("4 blocks of 4");
    }

    private IndexerShape shape(int heads, int headSize, int rotary, int topBlocks) {
        inputs = new float[2][LENGTHS.length][];
        for (int s = 0; s < LENGTHS.length; s++) {
            inputs[0][s] = Formulas.random(random, LENGTHS[s] * heads * headSize, 1);
            inputs[1][s] = Formulas.random(random, LENGTHS[s] * headSize, 1);
        }
        return new IndexerShape(heads, headSize, RATIO, topBlocks, Rotary.neox(rotary, device.upload(Formulas.frequencies(rotary, 1e4))),
                device.upload(Formulas.norm(random, headSize)), device.upload(Formulas.norm(random, headSize)), 1e-6f, PAGE, 8, 12);
    }

    private StepRig stepper(IndexerShape shape, int capacity) {
        return new StepRig(device, new float[][][] {inputs[0], inputs[1], null},
                new int[] {shape.heads() * shape.headSize(), shape.headSize(), 1 + capacity}, LENGTHS, 3 + RATIO * shape.headSize(),
                2 + PAGE / RATIO * shape.headSize(), PAGE);
    }

    private StepRig.Result run(IndexerShape shape, StepRig stepper, List<List<StepRig.Part>> plan, int capacity,
            boolean keepAll) {
        return stepper.run((rows, b) -> device.kernels.selectBlocks(shape, b[0], b[1], new BlockSelection(b[SELECTION], capacity, RATIO)),
                plan,
                keepAll);
    }

    /** Row by row the kept blocks; what lies behind them is undefined and stays NaN here. */
    private static int[][] selections(StepRig.Result result) {
        float[][] rows = result.rows()[SELECTION];
        int[][] bits = new int[rows.length][];
        for (int s = 0; s < rows.length; s++) {
            bits[s] = new int[rows[s].length];
            for (int i = 0; i < rows[s].length; i++) {
                bits[s][i] = Float.floatToRawIntBits(rows[s][i]);
            }
        }
        return bits;
    }

    private static int[] kept(StepRig.Result result, int s, int p, int capacity) {
        float[] rows = result.rows()[SELECTION][s];
        int[] kept = new int[Float.floatToRawIntBits(rows[p * (1 + capacity)])];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = Float.floatToRawIntBits(rows[p * (1 + capacity) + 1 + i]);
        }
        return kept;
    }

    private double[][] blockKeys(IndexerShape shape, int s) {
        int size = shape.headSize();
        double[][] keys = new double[LENGTHS[s] / RATIO][];
        for (int b = 0; b < keys.length; b++) {
            double[] mean = new double[size];
            for (int t = 0; t < RATIO; t++) {
                for (int i = 0; i < size; i++) {
                    mean[i] += inputs[1][s][(b * RATIO + t) * size + i] / (double) RATIO;
                }
            }
            keys[b] = Formulas.rms(mean, 0, size, read(shape.keyNorm()), 0, 1e-6);
            Formulas.rope(keys[b], b * RATIO, read(shape.rotary().inverseFrequencies()));
        }
        return keys;
    }

    private double[] scores(IndexerShape shape, int s, int p, double[][] keys) {
        int size = shape.headSize();
        double[] scores = new double[(p + 1) / RATIO];
        for (int h = 0; h < shape.heads(); h++) {
            double[] query = Formulas.rms(Formulas.widen(inputs[0][s]), (p * shape.heads() + h) * size, size,
                    read(shape.queryNorm()), 0, 1e-6);
            Formulas.rope(query, p, read(shape.rotary().inverseFrequencies()));
            for (int b = 0; b < scores.length; b++) {
                double dot = 0;
                for (int i = 0; i < size; i++) {
                    dot += query[i] * keys[b][i];
                }
                scores[b] += Math.max(0, dot) / Math.sqrt(size);
            }
        }
        return scores;
    }
}

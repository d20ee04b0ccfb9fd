package dev.ringside.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DeviceFixture.Weights;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every backend's router, experts and feed-forward networks must do. */
public abstract class KernelsContractExperts {

    /** Relative to the largest result: two products and a gate in single precision. */
    protected static final double TOLERANCE = 4e-6;
    private static final int HIDDEN = 256;
    private static final int WIDTH = 96;

    private DeviceFixture device;

    protected abstract GpuBackend createBackend();

    /** An expert in a slot: its address and the values of gate, up and down. */
    private record Expert(long slot, float[] gate, float[] up, float[] down) {}

    /** Whether rows are those of prompts. */
    protected boolean prompts() {
        return false;
    }

    /** What results may be off, of the largest value, where matrices of these types were multiplied with. */
    protected double tolerance(GgmlType... types) {
        return TOLERANCE;
    }

    private void experts(ExpertShape shape, DevicePtr x, ExpertWave wave, int choices, DevicePtr out) {
        begin((int) (x.bytes() / (4L * shape.hidden())));
        device.kernels.experts(shape, x, wave, choices, out);
    }

    private void begin(int rows) {
        if (prompts()) {
            device.beginPrompt(rows);
        }
    }

    @BeforeEach
    void open() {
        device = new DeviceFixture(createBackend());
    }

    @AfterEach
    void close() {
        device.close();
    }

    private static long align(long offset) {
        return (offset + 255) / 256 * 256;
    }

    private static ExpertShape shape(GgmlType gate, GgmlType up, GgmlType down) {
        long upOffset = align(WIDTH * gate.rowBytes(HIDDEN));
        long downOffset = align(upOffset + WIDTH * up.rowBytes(HIDDEN));
        return new ExpertShape(HIDDEN, WIDTH, gate, 0, up, upOffset, down, downOffset);
    }

    private List<Expert> experts(ExpertShape shape, int count) {
        List<Expert> experts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] gate = RandomWeights.rows(shape.gateType(), WIDTH, HIDDEN, device.random);
            byte[] up = RandomWeights.rows(shape.upType(), WIDTH, HIDDEN, device.random);
            byte[] down = RandomWeights.rows(shape.downType(), HIDDEN, WIDTH, device.random);
            byte[] slot = new byte[Math.toIntExact(shape.downOffset() + down.length)];
            System.arraycopy(gate, 0, slot, 0, gate.length);
            System.arraycopy(up, 0, slot, (int) shape.upOffset(), up.length);
            System.arraycopy(down, 0, slot, (int) shape.downOffset(), down.length);
            experts.add(new Expert(device.upload(slot).address(), DeviceFixture.decode(gate, shape.gateType(), WIDTH * HIDDEN),
                    DeviceFixture.decode(up, shape.upType(), WIDTH * HIDDEN),
                    DeviceFixture.decode(down, shape.downType(), HIDDEN * WIDTH)));
        }
        return experts;
    }

    /** A wave of the experts {@code from} to {@code to} - 1, where {@code chosen[pair]} is a pair's expert. */
    private static ExpertWave wave(List<Expert> experts, int[] chosen, int from, int to) {
        ExpertWave wave = new ExpertWave(experts.size(), chosen.length);
        int pairs = 0;
        for (int e = from; e < to; e++) {
            wave.expert[wave.groups] = e;
            wave.slotAddress[wave.groups] = experts.get(e).slot();
            wave.firstPair[wave.groups] = pairs;
            for (int p = 0; p < chosen.length; p++) {
                if (chosen[p] == e) {
                    wave.pairs[pairs++] = p;
                }
            }
            wave.groups++;
            wave.firstPair[wave.groups] = pairs;
        }
        return wave;
    }

    private int[] chosen(int pairs, int experts) {
        return device.random.ints(pairs, 0, experts).toArray();
    }

    @Test
    void expertsAgreeWithTheFormulaForMixedTypes() {
        GgmlType[][] mixes = {{GgmlType.Q4_K, GgmlType.Q4_K, GgmlType.Q5_1}, {GgmlType.Q6_K, GgmlType.Q5_K, GgmlType.Q8_0},
            {GgmlType.IQ2_XS, GgmlType.IQ3_XXS, GgmlType.IQ4_NL}, {GgmlType.F32, GgmlType.F16, GgmlType.BF16}};
        for (GgmlType[] mix : mixes) {
            ExpertShape shape = shape(mix[0], mix[1], mix[2]);
            List<Expert> experts = experts(shape, 5);
            int rows = 7;
            int choices = 3;
            int[] chosen = chosen(rows * choices, 5);
            float[] x = device.gaussian(rows * HIDDEN);
            DevicePtr out = device.floats((long) rows * choices * HIDDEN);
            experts(shape, device.upload(x), wave(experts, chosen, 0, 5), choices, out);
            float[] actual = device.download(out, rows * choices * HIDDEN);
            for (int p = 0; p < chosen.length; p++) {
                Expert e = experts.get(chosen[p]);
                double[] row = ScalarReference.widen(Arrays.copyOfRange(x, p / choices * HIDDEN, (p / choices + 1) * HIDDEN));
                double[] expected = ScalarReference.feedForward(e.gate(), e.up(), e.down(), HIDDEN, WIDTH, HIDDEN, row, 1);
                ScalarReference.assertClose(Arrays.copyOfRange(actual, p * HIDDEN, (p + 1) * HIDDEN), expected, tolerance(mix),
                        Arrays.toString(mix) + " pair " + p + ", seed " + device.seed);
            }
        }
    }

    @Test
    void wavesRowsAndMatesDoNotChangeAPairsResult() {
        ExpertShape shape = shape(GgmlType.Q4_K, GgmlType.Q6_K, GgmlType.Q5_0);
        List<Expert> experts = experts(shape, 6);
        int rows = 23;
        int choices = 2;
        int[] chosen = chosen(rows * choices, 6);
        DevicePtr x = device.upload(device.gaussian(rows * HIDDEN));
        int size = rows * choices * HIDDEN;
        DevicePtr whole = device.floats(size);
        experts(shape, x, wave(experts, chosen, 0, 6), choices, whole);
        DevicePtr parts = device.floats(size);
        for (int e = 0; e < 6; e += 2) {
            experts(shape, x, wave(experts, chosen, e, e + 2), choices, parts);
        }
        float[] expected = device.download(whole, size);
        ScalarReference.assertSameBits(device.download(parts, size), expected, "waves, seed " + device.seed);
        DevicePtr alone = device.floats((long) choices * HIDDEN);
        for (int r = 0; r < rows; r++) {
            int[] two = Arrays.copyOfRange(chosen, r * choices, (r + 1) * choices);
            experts(shape, x.slice(4L * r * HIDDEN, 4L * HIDDEN), wave(experts, two, 0, 6), choices, alone);
            ScalarReference.assertSameBits(device.download(alone, choices * HIDDEN),
                    Arrays.copyOfRange(expected, r * choices * HIDDEN, (r + 1) * choices * HIDDEN), "row " + r + ", seed " + device.seed);
        }
    }

    @Test
    void rowsOfPairsInNoWaveAreNotTouched() {
        ExpertShape shape = shape(GgmlType.Q8_0, GgmlType.Q8_0, GgmlType.Q8_0);
        List<Expert> experts = experts(shape, 2);
        float[] before = device.gaussian(4 * HIDDEN);
        DevicePtr out = device.upload(before);
        DevicePtr x = device.upload(device.gaussian(2 * HIDDEN));
        experts(shape, x, wave(experts, new int[] {0, 1, 0, 1}, 1, 2), 2, out);
        float[] after = device.download(out, 4 * HIDDEN);
        for (int p : new int[] {0, 2}) {
            ScalarReference.assertSameBits(Arrays.copyOfRange(after, p * HIDDEN, (p + 1) * HIDDEN),
                    Arrays.copyOfRange(before, p * HIDDEN, (p + 1) * HIDDEN), "pair " + p);
        }
        experts(shape, x, new ExpertWave(1, 1), 2, out);
        ScalarReference.assertSameBits(device.download(out, 4 * HIDDEN), after, "empty wave");
    }

    @Test
    void expertsRefuseAPairOutsideOfTheirRows() {
        ExpertShape shape = shape(GgmlType.Q8_0, GgmlType.Q8_0, GgmlType.Q8_0);
        List<Expert> experts = experts(shape, 1);
        DevicePtr x = device.floats(HIDDEN);
        DevicePtr out = device.floats(2 * HIDDEN);
        assertThatThrownBy(() -> experts(shape, x, wave(experts, new int[] {0, 0, 0}, 0, 1), 2, out))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("experts needs");
    }

    @Test
    void feedForwardAgreesWithTheFormulaAndRowsDoNotMatterToEachOther() {
        for (int width : new int[] {32, 96, 160}) {
            Weights gate = device.weights(GgmlType.Q4_0, width, 64);
            Weights up = device.weights(GgmlType.Q4_1, width, 64);
            Weights down = device.weights(GgmlType.Q5_0, 48, width);
            FeedForward network = new FeedForward(gate.matrix(), up.matrix(), down.matrix());
            int rows = 9;
            float[] x = device.gaussian(rows * 64);
            DevicePtr input = device.upload(x);
            DevicePtr out = device.floats(rows * 48L);
            begin(rows);
            device.kernels.feedForward(network, input, rows, out);
            float[] actual = device.download(out, rows * 48);
            ScalarReference.assertClose(actual, ScalarReference.feedForward(gate.values(), up.values(), down.values(), 64, width, 48,
                    ScalarReference.widen(x), rows), tolerance(GgmlType.Q4_0, GgmlType.Q4_1, GgmlType.Q5_0),
                    "width " + width + ", seed " + device.seed);
            DevicePtr one = device.floats(48);
            for (int r = 0; r < rows; r++) {
                begin(1);
                device.kernels.feedForward(network, input.slice(256L * r, 256), 1, one);
                ScalarReference.assertSameBits(device.download(one, 48), Arrays.copyOfRange(actual, 48 * r, 48 * r + 48),
                        "row " + r + ", width " + width + ", seed " + device.seed);
            }
        }
    }

    @Test
    void feedForwardRefusesMatricesThatDoNotFit() {
        Matrix gate = device.weights(GgmlType.F32, 8, 16).matrix();
        Matrix down = device.weights(GgmlType.F32, 16, 7).matrix();
        DevicePtr x = device.floats(16);
        DevicePtr out = device.floats(16);
        assertThatThrownBy(() -> device.kernels.feedForward(new FeedForward(gate, gate, down), x, 1, out))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("does not fit together");
    }

    private RoutingTable table(int rows, int choices) {
        return new RoutingTable(device.pinned(4L * rows * choices), device.pinned(4L * rows * choices), choices);
    }

    /** Routes rows whose logits are the given ones, through an identity matrix. */
    private RoutingTable route(float[] logits, int experts, int choices, float scale) {
        float[] identity = new float[experts * experts];
        for (int i = 0; i < experts; i++) {
            identity[i * experts + i] = 1;
        }
        int rows = logits.length / experts;
        RoutingTable table = table(rows, choices);
        device.kernels.route(new Matrix(device.upload(identity), GgmlType.F32, experts, experts), device.upload(logits), rows, scale,
                table);
        device.stream.synchronize();
        return table;
    }

    @Test
    void routeChoosesTheBestExpertsInOrderWithSoftmaxWeights() {
        int experts = 61;
        int choices = 8;
        int rows = 33;
        Weights router = device.weights(GgmlType.F32, experts, 64);
        float[] x = device.gaussian(rows * 64);
        RoutingTable table = table(rows, choices);
        device.kernels.route(router.matrix(), device.upload(x), rows, 2.5f, table);
        device.stream.synchronize();
        double[] logits = ScalarReference.matmul(router.values(), experts, 64, ScalarReference.widen(x), rows);
        for (int r = 0; r < rows; r++) {
            int row = r * experts;
            Integer[] order = new Integer[experts];
            Arrays.setAll(order, i -> i);
            Arrays.sort(order, (a, b) -> Double.compare(logits[row + b], logits[row + a]));
            double sum = 0;
            for (int j = 0; j < choices; j++) {
                sum += Math.exp(logits[row + order[j]] - logits[row + order[0]]);
            }
            for (int j = 0; j < choices; j++) {
                assertThat(table.expert(r, j)).as("row %d, choice %d, seed %d", r, j, device.seed).isEqualTo(order[j]);
                double weight = 2.5 * Math.exp(logits[row + order[j]] - logits[row + order[0]]) / sum;
                assertThat((double) table.weight(r, j)).isCloseTo(weight, org.assertj.core.data.Offset.offset(1e-5));
            }
        }
    }

    @Test
    void routeBreaksTiesToTheLowestId() {
        RoutingTable table = route(new float[] {1, 3, 2, 3, 2, 2, 3, 0, 5, 5, 5, 5, 5, 5, 5, 5}, 8, 4, 1);
        assertThat(new int[] {table.expert(0, 0), table.expert(0, 1), table.expert(0, 2), table.expert(0, 3)}).containsExactly(1, 3, 6, 2);
        assertThat(new int[] {table.expert(1, 0), table.expert(1, 1), table.expert(1, 2), table.expert(1, 3)}).containsExactly(0, 1, 2, 3);
        assertThat(table.weight(1, 2)).isEqualTo(0.25f);
    }

    @Test
    void routeCanChooseAllExperts() {
        RoutingTable table = route(new float[] {0, 2, 1}, 3, 3, 1);
        assertThat(new int[] {table.expert(0, 0), table.expert(0, 1), table.expert(0, 2)}).containsExactly(1, 2, 0);
        assertThatThrownBy(() -> route(new float[] {0, 2, 1}, 3, 4, 1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Cannot choose 4 of 3");
    }

    @Test
    void aRowWithNanGetsValidExpertsAndNanWeights() {
        for (int bad = 0; bad < 6; bad++) {
            float[] x = {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6};
            x[bad] = Float.NaN;
            RoutingTable table = route(x, 6, 2, 1);
            for (int j = 0; j < 2; j++) {
                assertThat(table.expert(0, j)).isBetween(0, 5);
                assertThat(table.weight(0, j)).isNaN();
            }
            assertThat(table.expert(1, 0)).isEqualTo(5);
            assertThat(table.weight(1, 0) + table.weight(1, 1)).isEqualTo(1f);
        }
    }

    @Test
    void combineSumsInRouterOrderAndAddsTheGatedSharedExpert() {
        int rows = 5;
        int choices = 3;
        for (int width : new int[] {7, 16, 100}) {
            RoutingTable table = route(device.gaussian(rows * 10), 10, choices, 1);
            float[] y = device.gaussian(rows * choices * width);
            float[] shared = device.gaussian(rows * width);
            float[] gate = device.gaussian(width);
            float[] x = device.gaussian(rows * width);
            DevicePtr out = device.floats((long) rows * width);
            DevicePtr[] in = {device.upload(y), device.upload(shared), device.upload(gate), device.upload(x)};
            for (int mode = 0; mode < 3; mode++) {
                device.kernels.combineExperts(in[0], table, rows, width, mode > 0 ? in[1] : null, mode > 1 ? in[2] : null, in[3], out);
                double[] expected = new double[rows * width];
                for (int r = 0; r < rows; r++) {
                    double logit = 0;
                    for (int i = 0; i < width; i++) {
                        logit += (double) gate[i] * x[r * width + i];
                    }
                    double share = mode == 0 ? 0 : mode == 1 ? 1 : ScalarReference.sigmoid(logit);
                    for (int i = 0; i < width; i++) {
                        double sum = share * shared[r * width + i];
                        for (int j = 0; j < choices; j++) {
                            sum += (double) table.weight(r, j) * y[(r * choices + j) * width + i];
                        }
                        expected[r * width + i] = sum;
                    }
                }
                ScalarReference.assertClose(device.download(out, rows * width), expected, TOLERANCE,
                        "width " + width + ", mode " + mode + ", seed " + device.seed);
            }
        }
    }
}

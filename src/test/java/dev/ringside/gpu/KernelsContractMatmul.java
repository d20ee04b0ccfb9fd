package dev.ringside.gpu;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DeviceFixture.Weights;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every backend's matrix products and table gathers must do. */
public abstract class KernelsContractMatmul {

    /** Of the sum of the products' magnitudes: what summing a few thousand floats in lanes loses. */
    protected static final double TOLERANCE = 1e-6;

    private DeviceFixture device;

    protected abstract GpuBackend createBackend();

    /** Whether rows are those of prompts. */
    protected boolean prompts() {
        return false;
    }

    /** What products with matrices of a type may be off, of the sum of the products' magnitudes. */
    protected double tolerance(GgmlType type) {
        return TOLERANCE;
    }

    @BeforeEach
    void open() {
        device = new DeviceFixture(createBackend());
    }

    @AfterEach
    void close() {
        device.close();
    }

    private static int[] columnsOf(GgmlType type) {
        return switch (type.blockElements()) {
            case 1 -> new int[] {1, 15, 16, 31, 33, 47, 96, 100, 1024};
            case 32 -> new int[] {32, 64, 96, 160, 1024};
            case 64 -> new int[] {64, 128, 192, 640};
            default -> new int[] {256, 768, 1024};
        };
    }

    private float[] multiply(Matrix matrix, float[] x, int rows) {
        if (prompts()) {
            device.beginPrompt(rows);
        }
        DevicePtr y = device.floats((long) rows * matrix.rows());
        device.kernels.matmul(matrix, device.upload(x), rows, y);
        return device.download(y, rows * matrix.rows());
    }

    private String what(GgmlType type, int outputs, int columns, int rows) {
        return type + " " + outputs + " x " + columns + ", " + rows + " rows, seed " + device.seed;
    }

    private static float[] magnitudes(float[] values) {
        float[] magnitudes = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            magnitudes[i] = Math.abs(values[i]);
        }
        return magnitudes;
    }

    @ParameterizedTest
    @EnumSource
    void matmulAgreesWithTheScalarProduct(GgmlType type) {
        for (int columns : columnsOf(type)) {
            for (int outputs : new int[] {1, 5, 18}) {
                Weights w = device.weights(type, outputs, columns);
                for (int rows : new int[] {1, 3, 6}) {
                    float[] x = device.gaussian(rows * columns);
                    double[] expected = ScalarReference.matmul(w.values(), outputs, columns, ScalarReference.widen(x), rows);
                    double[] magnitude = ScalarReference.matmul(magnitudes(w.values()), outputs, columns,
                            ScalarReference.widen(magnitudes(x)),
                            rows);
                    ScalarReference.assertWithin(multiply(w.matrix(), x, rows), expected, magnitude, tolerance(type),
                            what(type, outputs, columns, rows));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRowOfMatmulDoesNotDependOnItsMates(GgmlType type) {
        for (int columns : columnsOf(type)) {
            int outputs = 7;
            int rows = 23;
            Weights w = device.weights(type, outputs, columns);
            float[] x = device.gaussian(rows * columns);
            float[] all = multiply(w.matrix(), x, rows);
            for (int r = 0; r < rows; r++) {
                float[] alone = multiply(w.matrix(), Arrays.copyOfRange(x, r * columns, (r + 1) * columns), 1);
                ScalarReference.assertSameBits(alone, Arrays.copyOfRange(all, r * outputs, (r + 1) * outputs),
                        what(type, outputs, columns, rows));
            }
            for (int part : new int[] {2, 3, 7, 22}) {
                float[] some = multiply(w.matrix(), Arrays.copyOf(x, part * columns), part);
                ScalarReference.assertSameBits(some, Arrays.copyOf(all, part * outputs), what(type, outputs, columns, part));
            }
        }
    }

    @Test
    void anOutputDoesNotDependOnTheOtherOutputs() {
        int columns = 512;
        byte[] bytes = RandomWeights.rows(GgmlType.Q4_K, 70, columns, device.random);
        float[] x = device.gaussian(5 * columns);
        float[] all = multiply(device.place(bytes, GgmlType.Q4_K, 70, columns).matrix(), x, 5);
        float[] fewer = multiply(device.place(Arrays.copyOf(bytes, 3 * 288), GgmlType.Q4_K, 3, columns).matrix(), x, 5);
        for (int r = 0; r < 5; r++) {
            ScalarReference.assertSameBits(Arrays.copyOfRange(fewer, 3 * r, 3 * r + 3), Arrays.copyOfRange(all, 70 * r, 70 * r + 3),
                    "row " + r + ", seed " + device.seed);
        }
    }

    @Test
    void noRowsAreNoWork() {
        Weights w = device.weights(GgmlType.Q8_0, 4, 32);
        device.kernels.matmul(w.matrix(), device.floats(0), 0, device.floats(0));
    }

    @Test
    void matmulRefusesRangesThatAreTooShort() {
        Weights w = device.weights(GgmlType.Q8_0, 4, 32);
        DevicePtr x = device.floats(64);
        DevicePtr y = device.floats(8);
        assertThatThrownBy(() -> device.kernels.matmul(w.matrix(), x.slice(0, 252), 2, y)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Matmul input").hasMessageContaining("256");
        assertThatThrownBy(() -> device.kernels.matmul(w.matrix(), x, 2, y.slice(0, 28))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Matmul output");
    }

    @Test
    void aNanInOneRowStaysInThatRow() {
        Weights w = device.weights(GgmlType.Q4_0, 6, 64);
        float[] x = device.gaussian(5 * 64);
        float[] clean = multiply(w.matrix(), x, 5);
        x[2 * 64 + 7] = Float.NaN;
        float[] dirty = multiply(w.matrix(), x, 5);
        for (int r = 0; r < 5; r++) {
            float[] expected = Arrays.copyOfRange(clean, 6 * r, 6 * r + 6);
            if (r == 2) {
                Arrays.fill(expected, Float.NaN);
            }
            float[] actual = Arrays.copyOfRange(dirty, 6 * r, 6 * r + 6);
            for (int o = 0; o < 6; o++) {
                actual[o] = Float.isNaN(actual[o]) ? Float.NaN : actual[o];
            }
            ScalarReference.assertSameBits(actual, expected, "row " + r);
        }
    }

    private StepRows step(int... tokens) {
        StepRows rows = new StepRows(8);
        rows.beginSegment(new long[0], 0);
        for (int i = 0; i < tokens.length; i++) {
            rows.addRow(tokens[i], i, 0, false);
        }
        return rows;
    }

    @ParameterizedTest
    @EnumSource
    void embedDecodesTheTokensRows(GgmlType type) {
        int columns = columnsOf(type)[1];
        Weights table = device.weights(type, 9, columns);
        device.kernels.beginStep(step(8, 0, 3, 8));
        for (int copies : new int[] {1, 4}) {
            DevicePtr out = device.floats(4L * copies * columns);
            device.kernels.embed(table.matrix(), copies, out);
            float[] expected = new float[4 * copies * columns];
            int[] tokens = {8, 0, 3, 8};
            for (int i = 0; i < 4 * copies; i++) {
                System.arraycopy(table.values(), tokens[i / copies] * columns, expected, i * columns, columns);
            }
            ScalarReference.assertClose(device.download(out, expected.length), ScalarReference.widen(expected), 1e-7,
                    type + " x " + copies + ", seed " + device.seed);
        }
    }

    @Test
    void embedRefusesATokenOutsideTheTable() {
        Weights table = device.weights(GgmlType.F32, 9, 16);
        DevicePtr out = device.floats(64);
        device.kernels.beginStep(step(1, 9));
        assertThatThrownBy(() -> device.kernels.embed(table.matrix(), 1, out)).isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("Token 9").hasMessageContaining("9 rows");
    }

    @Test
    void gatherRowsDecodesNumberedRows() {
        Weights table = device.weights(GgmlType.IQ4_NL, 40, 160);
        PinnedBuffer numbers = device.pinned(8 * 16);
        float[] expected = new float[16 * 160];
        for (int i = 0; i < 16; i++) {
            int row = device.random.nextInt(40);
            numbers.memory().setAtIndex(ValueLayout.JAVA_LONG, i, row);
            System.arraycopy(table.values(), row * 160, expected, i * 160, 160);
        }
        DevicePtr out = device.floats(expected.length);
        device.kernels.gatherRows(table.matrix(), numbers, 16, out);
        ScalarReference.assertClose(device.download(out, expected.length), ScalarReference.widen(expected), 1e-7, "seed " + device.seed);
    }
}

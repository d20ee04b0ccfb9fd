package dev.ringside.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ringside.gguf.GgmlType;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What every backend's hyper-connections must do. */
public abstract class KernelsContractHyperConnection {

    private DeviceFixture device;
    private Random random;

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
    @CsvSource({"4, 64, 16, 5", "4, 300, 40, 1", "2, 37, 5, 3", "1, 16, 16, 2"})
    void mixesByTheFormulas(int count, int width, int rank, int rows) {
        HyperConnection mixer = mixer(count, width, rank, true);
        float[] streams = Formulas.random(random, rows * count * width, 2);
        float[] mixed = new float[rows * width];
        float[] inject = new float[rows * count];
        mix(mixer, streams, rows, mixed, inject);
        for (int row = 0; row < rows; row++) {
            assertRow(mixer, streams, row, mixed, inject);
        }
    }

    private void assertRow(HyperConnection mixer, float[] streams, int row, float[] mixed, float[] inject) {
        int count = mixer.count();
        int width = mixer.width();
        double[] normed = new double[count * width];
        for (int c = 0; c < count; c++) {
            double[] one = Formulas.rms(Formulas.widen(streams), (row * count + c) * width, width, read(mixer.norm()), c * width,
                    1e-6);
            System.arraycopy(one, 0, normed, c * width, width);
        }
        double[] low = multiply(mixer.down(), normed);
        for (int i = 0; i < low.length; i++) {
            low[i] = Formulas.silu(low[i] / count);
        }
        double[] gates = multiply(mixer.up(), low);
        for (int i = 0; i < width; i++) {
            double mean = 0;
            for (int c = 0; c < count; c++) {
                mean += Formulas.sigmoid(gates[c * width + i]) * normed[c * width + i] / count;
            }
            assertThat((double) mixed[row * width + i]).as("seed %d, row %d, element %d", device.seed, row, i).isCloseTo(mean,
                    within(1e-5));
        }
        assert mixer.inject() != null;
        double[] weights = multiply(mixer.inject(), normed);
        for (int c = 0; c < count; c++) {
            assertThat((double) inject[row * count + c]).isCloseTo(2 * Formulas.sigmoid(weights[c] / count), within(1e-5));
        }
    }

    @Test
    void rowsDoNotChangeABit() {
        int rows = 40;
        HyperConnection mixer = mixer(4, 264, 32, true);
        float[] streams = Formulas.random(random, rows * 4 * 264, 2);
        float[] mixed = new float[rows * 264];
        float[] inject = new float[rows * 4];
        mix(mixer, streams, rows, mixed, inject);
        float[] again = new float[mixed.length];
        float[] injectAgain = new float[inject.length];
        mix(mixer, streams, rows, again, injectAgain);
        assertThat(again).isEqualTo(mixed);
        assertThat(injectAgain).isEqualTo(inject);
        for (int row = 0; row < rows; row++) {
            float[] one = new float[264];
            float[] injectOne = new float[4];
            mix(mixer, Arrays.copyOfRange(streams, row * 4 * 264, (row + 1) * 4 * 264), 1, one, injectOne);
            assertThat(one).as("row %d", row).isEqualTo(Arrays.copyOfRange(mixed, row * 264, (row + 1) * 264));
            assertThat(injectOne).isEqualTo(Arrays.copyOfRange(inject, row * 4, (row + 1) * 4));
        }
    }

    @Test
    void theOutputMixerHasNoInject() {
        HyperConnection mixer = mixer(2, 32, 8, false);
        DevicePtr streams = device.upload(Formulas.random(random, 64, 1));
        DevicePtr out = device.floats(32);
        device.kernels.hyperConnectionMix(mixer, streams, 1, out, null);
        assertThat(read(out)).doesNotContain(Float.NaN);
        assertThatThrownBy(() -> device.kernels.hyperConnectionMix(mixer, streams, 1, out, device.floats(2)))
                .hasMessageContaining("no inject projection");
    }

    @Test
    void addsTheDeltaToEveryStreamByItsWeight() {
        int width = 1003;
        float[] streams = Formulas.random(random, 6 * 4 * width, 1);
        float[] delta = Formulas.random(random, 6 * width, 1);
        float[] inject = Formulas.random(random, 6 * 4, 1);
        DevicePtr target = device.upload(streams);
        device.kernels.hyperConnectionAdd(target, device.upload(delta), device.upload(inject), 6, 4, width);
        float[] sum = read(target);
        for (int row = 0; row < 6; row++) {
            for (int c = 0; c < 4; c++) {
                for (int i = 0; i < width; i++) {
                    int at = (row * 4 + c) * width + i;
                    assertThat((double) sum[at]).isCloseTo(streams[at] + (double) inject[row * 4 + c] * delta[row * width + i],
                            within(1e-6));
                }
            }
        }
    }

    private HyperConnection mixer(int count, int width, int rank, boolean inject) {
        int flat = count * width;
        return new HyperConnection(count, width, device.upload(Formulas.norm(random, flat)), matrix(rank, flat), matrix(flat, rank),
                inject ? matrix(count, flat) : null, 1e-6f);
    }

    private Matrix matrix(int rows, int columns) {
        return new Matrix(device.upload(Formulas.random(random, rows * columns, 1 / Math.sqrt(columns))), GgmlType.F32, rows, columns);
    }

    private double[] multiply(Matrix matrix, double[] x) {
        float[] w = read(matrix.data());
        double[] y = new double[matrix.rows()];
        for (int r = 0; r < y.length; r++) {
            for (int i = 0; i < x.length; i++) {
                y[r] += w[r * x.length + i] * x[i];
            }
        }
        return y;
    }

    private void mix(HyperConnection mixer, float[] streams, int rows, float[] mixed, float[] inject) {
        DevicePtr out = device.floats(mixed.length);
        DevicePtr weights = device.floats(inject.length);
        DevicePtr in = device.upload(streams);
        device.turn();
        device.kernels.hyperConnectionMix(mixer, in, rows, out, weights);
        System.arraycopy(read(out), 0, mixed, 0, mixed.length);
        System.arraycopy(read(weights), 0, inject, 0, inject.length);
        assertThat(read(in)).as("streams are unchanged").isEqualTo(streams);
    }
}

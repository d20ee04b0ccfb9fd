package dev.ringside.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every backend's norms, sums and row gathers must do. */
public abstract class KernelsContractNorm {

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
    @ValueSource(ints = {1, 7, 16, 31, 100, 2048, 2563})
    void normsEveryGroupOfEveryRowByItself(int width) {
        int rows = 3;
        int groups = 4;
        float[] x = Formulas.random(random, rows * groups * width, 3);
        float[] weight = Formulas.norm(random, groups * width);
        float[] y = norm(x, weight, rows, groups, width);
        double[] wide = Formulas.widen(x);
        for (int run = 0; run < rows * groups; run++) {
            double[] expected = Formulas.rms(wide, run * width, width, weight, run % groups * width, 1e-6);
            for (int i = 0; i < width; i++) {
                assertThat((double) y[run * width + i]).as("seed %d, run %d, element %d", device.seed, run, i).isCloseTo(expected[i],
                        within(1e-6 * (1 + Math.abs(expected[i]))));
            }
        }
    }

    @Test
    void normWorksInPlace() {
        float[] x = Formulas.random(random, 5 * 130, 1);
        float[] weight = Formulas.norm(random, 130);
        DevicePtr inPlace = device.upload(x);
        device.kernels.rmsNorm(inPlace, device.upload(weight), 5, 1, 130, 1e-6f, inPlace);
        assertThat(read(inPlace)).isEqualTo(norm(x, weight, 5, 1, 130));
    }

    @Test
    void aRunDoesNotDependOnItsMates() {
        float[] x = Formulas.random(random, 64 * 1000, 1);
        float[] weight = Formulas.norm(random, 1000);
        float[] all = norm(x, weight, 64, 1, 1000);
        for (int row = 0; row < 64; row += 9) {
            float[] one = norm(Arrays.copyOfRange(x, row * 1000, (row + 1) * 1000), weight, 1, 1, 1000);
            ScalarReference.assertSameBits(one, Arrays.copyOfRange(all, row * 1000, (row + 1) * 1000),
                    "row " + row + ", seed " + device.seed);
        }
    }

    @Test
    void normRefusesARangeThatIsTooSmall() {
        DevicePtr weight = device.floats(8);
        assertThatThrownBy(() -> device.kernels.rmsNorm(device.floats(15), weight, 2, 1, 8, 1e-6f, device.floats(16)))
                .hasMessageContaining("RMS norm input").hasMessageContaining("64").hasMessageContaining("60");
    }

    @Test
    void addsElementByElement() {
        int count = 100_003;
        float[] x = Formulas.random(random, count, 1);
        float[] y = Formulas.random(random, count, 1);
        DevicePtr sum = device.upload(x);
        device.kernels.add(sum, device.upload(y), count);
        float[] out = read(sum);
        for (int i = 0; i < count; i++) {
            assertThat(out[i] == x[i] + y[i]).as("element %d", i).isTrue();
        }
    }

    @Test
    void gathersTheRowsWhoseLogitsAreWanted() {
        StepRows rows = new StepRows(4);
        rows.beginSegment(new long[0], 0);
        rows.addRow(1, 0, 0, false);
        rows.addRow(2, 1, 0, true);
        rows.beginSegment(new long[0], 0);
        rows.addRow(3, 0, 0, true);
        DevicePtr out = device.floats(5);
        device.kernels.beginStep(rows);
        device.kernels.gatherLogitRows(device.upload(new float[] {1, 2, 3, 4, 5, 6}), 2, out);
        assertThat(read(out)).containsExactly(3, 4, 5, 6, Float.NaN);
    }

    private float[] norm(float[] x, float[] weight, int rows, int groups, int width) {
        DevicePtr out = device.floats(x.length);
        device.turn();
        device.kernels.rmsNorm(device.upload(x), device.upload(weight), rows, groups, width, 1e-6f, out);
        return read(out);
    }
}

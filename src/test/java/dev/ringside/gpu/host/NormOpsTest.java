package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.StepRows;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NormOpsTest {

    private final TestMemory memory = new TestMemory();
    private final Random random = new Random(TestMemory.seed());

    @AfterEach
    void free() {
        memory.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 16, 31, 100, 2048, 2563})
    void normsEveryGroupOfEveryRowByItself(int width) {
        int rows = 3;
        int groups = 4;
        float[] x = TestMemory.random(random, rows * groups * width, 3);
        float[] weight = TestMemory.norm(random, groups * width);
        float[] y = norm(1, x, weight, rows, groups, width);
        double[] wide = Reference.widen(x);
        for (int run = 0; run < rows * groups; run++) {
            double[] expected = Reference.rms(wide, run * width, width, weight, run % groups * width, 1e-6);
            for (int i = 0; i < width; i++) {
                assertThat((double) y[run * width + i]).as("seed %d, run %d, element %d", TestMemory.seed(), run, i).isCloseTo(expected[i],
                        within(1e-6 * (1 + Math.abs(expected[i]))));
            }
        }
    }

    @Test
    void normWorksInPlace() {
        float[] x = TestMemory.random(random, 5 * 130, 1);
        float[] weight = TestMemory.norm(random, 130);
        DevicePtr inPlace = memory.of(x);
        try (WorkerPool pool = new WorkerPool(1)) {
            new NormOps(pool).rmsNorm(inPlace, memory.of(weight), 5, 1, 130, 1e-6f, inPlace);
        }
        assertThat(TestMemory.read(inPlace)).isEqualTo(norm(1, x, weight, 5, 1, 130));
    }

    @Test
    void normDoesNotDependOnTheNumberOfThreads() {
        float[] x = TestMemory.random(random, 64 * 1000, 1);
        float[] weight = TestMemory.norm(random, 1000);
        assertThat(norm(3, x, weight, 64, 1, 1000)).isEqualTo(norm(1, x, weight, 64, 1, 1000));
    }

    @Test
    void normRefusesARangeThatIsTooSmall() {
        try (WorkerPool pool = new WorkerPool(1)) {
            NormOps ops = new NormOps(pool);
            DevicePtr weight = memory.zeros(8);
            assertThatThrownBy(() -> ops.rmsNorm(memory.zeros(15), weight, 2, 1, 8, 1e-6f, memory.zeros(16)))
                    .hasMessageContaining("RMS norm input").hasMessageContaining("64").hasMessageContaining("60");
        }
    }

    @Test
    void addsElementByElement() {
        int count = 100_003;
        float[] x = TestMemory.random(random, count, 1);
        float[] y = TestMemory.random(random, count, 1);
        DevicePtr sum = memory.of(x);
        try (WorkerPool pool = new WorkerPool(2)) {
            new NormOps(pool).add(sum, memory.of(y), count);
        }
        float[] out = TestMemory.read(sum);
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
        DevicePtr out = memory.floats(5);
        try (WorkerPool pool = new WorkerPool(1)) {
            new NormOps(pool).gatherLogitRows(rows, memory.of(new float[] {1, 2, 3, 4, 5, 6}), 2, out);
        }
        assertThat(TestMemory.read(out)).containsExactly(3, 4, 5, 6, Float.NaN);
    }

    private float[] norm(int threads, float[] x, float[] weight, int rows, int groups, int width) {
        DevicePtr out = memory.floats(x.length);
        try (WorkerPool pool = new WorkerPool(threads)) {
            new NormOps(pool).rmsNorm(memory.of(x), memory.of(weight), rows, groups, width, 1e-6f, out);
        }
        return TestMemory.read(out);
    }
}

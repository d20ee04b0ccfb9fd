package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Formulas;
import dev.ringside.gpu.Rotary;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RotaryTableTest {

    private final TestMemory memory = new TestMemory();
    private final Random random = new Random(TestMemory.seed());

    @AfterEach
    void free() {
        memory.close();
    }

    @Test
    void interleavedRotationPairsNeighboursAndScalesByTheMagnitude() {
        int position = 77;
        float[] frequencies = Formulas.frequencies(12, 1e4);
        float[] x = Formulas.random(random, 16, 1);
        RotaryTable table = new RotaryTable();
        DevicePtr vector = memory.of(x);
        table.begin(new Rotary(12, memory.of(frequencies), 1.25f, true), 1);
        table.fill(0, position);
        table.rotate(0, vector.address());
        float[] y = TestMemory.read(vector);
        for (int i = 0; i < 6; i++) {
            double angle = position * (double) frequencies[i];
            assertThat((double) y[2 * i]).isCloseTo(1.25 * (x[2 * i] * Math.cos(angle) - x[2 * i + 1] * Math.sin(angle)), within(1e-6));
            assertThat((double) y[2 * i + 1]).isCloseTo(1.25 * (x[2 * i] * Math.sin(angle) + x[2 * i + 1] * Math.cos(angle)), within(1e-6));
        }
        for (int i = 12; i < 16; i++) {
            assertThat(y[i]).isEqualTo(x[i]);
        }
    }

    @Test
    void rotationIsExactAtFarPositions() {
        int position = 250_001;
        float[] frequencies = Formulas.frequencies(64, 1e7);
        float[] x = Formulas.random(random, 64, 1);
        double[] expected = Formulas.widen(x);
        Formulas.rope(expected, position, frequencies);
        RotaryTable table = new RotaryTable();
        DevicePtr vector = memory.of(x);
        table.begin(Rotary.neox(64, memory.of(frequencies)), 1);
        table.fill(0, position);
        table.rotate(0, vector.address());
        float[] y = TestMemory.read(vector);
        for (int i = 0; i < 64; i++) {
            assertThat((double) y[i]).isCloseTo(expected[i], within(1e-6));
        }
    }

    @Test
    void rotationFollowsANewPositionAndNewFrequencies() {
        float[] x = Formulas.random(random, 20, 1);
        RotaryTable table = new RotaryTable();
        for (double base : new double[] {1e4, 1e6}) {
            float[] frequencies = Formulas.frequencies(20, base);
            table.begin(Rotary.neox(20, memory.of(frequencies)), 2);
            for (int position : new int[] {0, 7, 8}) {
                double[] expected = Formulas.widen(x);
                Formulas.rope(expected, position, frequencies);
                DevicePtr vector = memory.of(x);
                table.fill(1, position);
                table.rotate(1, vector.address());
                float[] y = TestMemory.read(vector);
                for (int i = 0; i < 20; i++) {
                    assertThat((double) y[i]).isCloseTo(expected[i], within(1e-6));
                }
            }
        }
    }
}

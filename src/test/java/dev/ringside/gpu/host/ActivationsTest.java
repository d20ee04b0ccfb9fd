package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Formulas;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ActivationsTest {

    private final TestMemory memory = new TestMemory();
    private final Random random = new Random(TestMemory.seed());

    @AfterEach
    void free() {
        memory.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 15, 16, 17, 100})
    void sigmoidAndSiluScaleTheirInput(int count) {
        float[] x = Formulas.random(random, count, 10);
        DevicePtr in = memory.of(x);
        DevicePtr sigmoid = memory.floats(count + 1);
        DevicePtr silu = memory.floats(count + 1);
        Activations.sigmoid(in.address(), 0.25f, count, sigmoid.address());
        Activations.silu(in.address(), 0.25f, count, silu.address());
        for (int i = 0; i < count; i++) {
            assertThat(HostMemory.getFloat(sigmoid.address() + 4L * i)).isEqualTo(VectorMath.sigmoid(0.25f * x[i]));
            assertThat((double) HostMemory.getFloat(silu.address() + 4L * i)).isCloseTo(Formulas.silu(0.25 * x[i]), within(1e-6));
        }
        assertThat(HostMemory.getFloat(sigmoid.address() + 4L * count)).isNaN();
        assertThat(HostMemory.getFloat(silu.address() + 4L * count)).isNaN();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 16, 33, 1000})
    void softmaxWeightsAreRelativeToTheGreatestScore(int count) {
        float[] x = Formulas.random(random, count, 30);
        DevicePtr scores = memory.of(x);
        float sum = Activations.softmaxWeights(scores.address(), count);
        float max = Float.NEGATIVE_INFINITY;
        for (float score : x) {
            max = Math.max(max, score);
        }
        double expected = 0;
        for (int i = 0; i < count; i++) {
            double weight = Math.exp((double) x[i] - max);
            assertThat((double) HostMemory.getFloat(scores.address() + 4L * i)).isCloseTo(weight, within(5e-6));
            expected += weight;
        }
        assertThat((double) sum).isCloseTo(expected, within(1e-5 * expected));
    }
}

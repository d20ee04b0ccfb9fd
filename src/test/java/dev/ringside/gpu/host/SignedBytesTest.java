package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Formulas;
import dev.ringside.gpu.KvType;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SignedBytesTest {

    private final TestMemory memory = new TestMemory();

    @AfterEach
    void free() {
        memory.close();
    }

    private float[] roundTrip(float[] values) {
        DevicePtr bytes = memory.zeros(values.length);
        DevicePtr scales = memory.zeros(values.length);
        DevicePtr back = memory.zeros(values.length);
        SignedBytes.fromFloats(memory.of(values).address(), values.length, bytes.address(), scales.address());
        SignedBytes.toFloats(bytes.address(), scales.address(), values.length, back.address());
        return TestMemory.read(back);
    }

    @Test
    void everyElementComesBackWithinHalfAScale() {
        Random random = new Random(TestMemory.seed());
        for (int count : new int[] {1, 6, 20, 32, 40, 64, 100, 128, 256}) {
            float[] values = Formulas.random(random, count, 3);
            values[0] *= 50;
            float[] back = roundTrip(values);
            for (int from = 0; from < count; from += KvType.GROUP) {
                float largest = 0;
                for (int i = from; i < Math.min(count, from + KvType.GROUP); i++) {
                    largest = Math.max(largest, Math.abs(values[i]));
                }
                for (int i = from; i < Math.min(count, from + KvType.GROUP); i++) {
                    assertThat(back[i]).as("seed %d, element %d of %d", TestMemory.seed(), i, count).isCloseTo(values[i],
                            within(largest / 127 * 0.57f));
                }
            }
        }
    }

    @Test
    void zerosAndWholeMultiplesAreExact() {
        float[] values = new float[64];
        for (int i = 32; i < 64; i++) {
            values[i] = (i - 48) * 0.25f;
        }
        values[63] = 127 * 0.25f;
        assertThat(roundTrip(values)).isEqualTo(values);
    }

    @Test
    void whatIsNoNumberIsNotHidden() {
        float[] values = new float[40];
        values[3] = Float.POSITIVE_INFINITY;
        values[35] = Float.NaN;
        float[] back = roundTrip(values);
        assertThat(back[3]).isNaN();
        assertThat(back[35]).isNaN();
    }

    @Test
    void aPageHoldsElementsAndThenScales() {
        assertThat(KvType.Q8.pageBytes(64, 4, 128)).isEqualTo(64 * (4 * 128 + 4 * 4 * 2));
        assertThat(KvType.Q8.pageBytes(64, 1, 40)).isEqualTo(64 * (40 + 2 * 2));
        assertThat(KvType.F16.pageBytes(64, 4, 128)).isEqualTo(64 * 4 * 128 * 2);
        assertThat(KvType.F32.pageBytes(64, 4, 128)).isEqualTo(64 * 4 * 128 * 4);
    }
}

package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DeviceFixture;
import dev.ringside.gpu.RandomWeights;
import dev.ringside.gpu.ScalarReference;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WeightRowsTest {

    private final long seed = Long.getLong("ringside.test.seed", System.nanoTime());

    private static float[] decode(byte[] bytes, GgmlType type, int columns) {
        try (Arena arena = Arena.ofConfined(); WorkArea work = new WorkArea()) {
            // exactly as long as the row: reading behind it would be a defect, though it need not show
            MemorySegment source = arena.allocate(bytes.length, 1);
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, source, 0, bytes.length);
            MemorySegment target = arena.allocate(4L * columns + 64, 64);
            target.asSlice(4L * columns).fill((byte) 0x55);
            work.reserve(columns);
            WeightRows.decode(type, source.address(), columns, target.address(), work);
            assertThat(target.asSlice(4L * columns).toArray(ValueLayout.JAVA_BYTE)).as("behind the row").containsOnly(0x55);
            return target.asSlice(0, 4L * columns).toArray(ValueLayout.JAVA_FLOAT);
        }
    }

    @ParameterizedTest
    @EnumSource
    void vectorsDecodeWhatTheFormatsDecoderDoes(GgmlType type) {
        Random random = new Random(seed);
        for (int blocks : type.isQuantised() ? new int[] {1, 2, 3, 8} : new int[] {1, 5, 16, 31, 48, 100}) {
            int columns = blocks * type.blockElements();
            for (int i = 0; i < 50; i++) {
                byte[] bytes = RandomWeights.rows(type, 1, columns, random);
                ScalarReference.assertSameBits(positiveZeros(decode(bytes, type, columns)),
                        positiveZeros(DeviceFixture.decode(bytes, type, columns)), type + " x " + columns + ", seed " + seed);
            }
        }
    }

    /** The sign of a zero that stands for "level zero" is nobody's concern. */
    private static float[] positiveZeros(float[] values) {
        for (int i = 0; i < values.length; i++) {
            values[i] += 0f;
        }
        return values;
    }

    @Test
    void everyHalfIsDecodedExactly() {
        byte[] bytes = new byte[2 << 16];
        for (int i = 0; i < 1 << 16; i++) {
            bytes[2 * i] = (byte) i;
            bytes[2 * i + 1] = (byte) (i >> 8);
        }
        float[] decoded = decode(bytes, GgmlType.F16, 1 << 16);
        for (int i = 0; i < 1 << 16; i++) {
            float expected = Float.float16ToFloat((short) i);
            if (Float.isNaN(expected)) {
                assertThat(decoded[i]).as("half %x", i).isNaN();
            } else {
                assertThat(Float.floatToRawIntBits(decoded[i])).as("half %x", i).isEqualTo(Float.floatToRawIntBits(expected));
            }
        }
    }
}

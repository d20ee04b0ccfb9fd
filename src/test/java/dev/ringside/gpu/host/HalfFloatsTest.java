package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.DevicePtr;
import org.junit.jupiter.api.Test;

class HalfFloatsTest {

    @Test
    void everyHalfWidensExactly() {
        try (TestMemory memory = new TestMemory()) {
            DevicePtr halves = memory.floats(32_768);
            DevicePtr floats = memory.floats(65_536);
            for (int i = 0; i < 65_536; i++) {
                HostMemory.ALL.set(HostMemory.SHORT, halves.address() + 2L * i, (short) i);
            }
            HalfFloats.toFloats(halves.address(), 65_536, floats.address());
            for (int i = 0; i < 65_536; i++) {
                float expected = Float.float16ToFloat((short) i);
                float widened = HostMemory.getFloat(floats.address() + 4L * i);
                assertThat(Float.floatToIntBits(widened)).as("half %04x", i).isEqualTo(Float.floatToIntBits(expected));
            }
        }
    }

    @Test
    void oddCountsWriteNothingBehindTheirEnd() {
        try (TestMemory memory = new TestMemory()) {
            DevicePtr source = memory.of(new float[] {1.5f, -2f, 65_504f, 1e-7f, 3.14159f});
            DevicePtr halves = memory.floats(4);
            DevicePtr floats = memory.floats(6);
            HalfFloats.fromFloats(source.address(), 5, halves.address());
            HalfFloats.toFloats(halves.address(), 5, floats.address());
            assertThat(TestMemory.read(floats)).containsExactly(1.5f, -2f, 65_504f, Float.float16ToFloat(Float.floatToFloat16(1e-7f)),
                    Float.float16ToFloat(Float.floatToFloat16(3.14159f)), Float.NaN);
        }
    }
}

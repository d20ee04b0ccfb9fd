package dev.ringside.gpu.host;

import dev.ringside.gpu.DevicePtr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Off-heap memory for tests, poisoned with NaN so that reading what was never written shows. */
final class TestMemory implements AutoCloseable {

    private final Arena arena = Arena.ofShared();

    static long seed() {
        return Long.getLong("ringside.test.seed", 20_260_803L);
    }

    DevicePtr floats(int count) {
        MemorySegment segment = arena.allocate(Math.max(4, 4L * count), 64);
        DevicePtr memory = new DevicePtr(segment.address(), 4L * count);
        for (int i = 0; i < count; i++) {
            HostMemory.setFloat(memory.address() + 4L * i, Float.NaN);
        }
        return memory;
    }

    DevicePtr of(float[] values) {
        DevicePtr memory = floats(values.length);
        write(memory, 0, values);
        return memory;
    }

    DevicePtr zeros(int count) {
        return of(new float[count]);
    }

    static void write(DevicePtr memory, int offset, float[] values) {
        memory.require(4L * (offset + values.length), "Test data");
        for (int i = 0; i < values.length; i++) {
            HostMemory.setFloat(memory.address() + 4L * (offset + i), values[i]);
        }
    }

    static float[] read(DevicePtr memory) {
        return read(memory.address(), (int) (memory.bytes() / 4));
    }

    static float[] read(long address, int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = HostMemory.getFloat(address + 4L * i);
        }
        return values;
    }

    @Override
    public void close() {
        arena.close();
    }
}

package dev.ringside.engine;

import dev.ringside.gpu.DeviceInfo;
import dev.ringside.gpu.DeviceMemory;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.GpuEvent;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.PinnedBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory only: every call is done when it returns, and there are no kernels. */
final class TestBackend implements GpuBackend {

    private final Arena arena = Arena.ofShared();
    private volatile long pinnedBytes;

    @Override
    public DeviceInfo device() {
        return new DeviceInfo("test", "memory", "no kernels", true, 1 << 30);
    }

    @Override
    public DevicePtr allocate(long bytes, String purpose) {
        return new DevicePtr(arena.allocate(bytes, 256).address(), bytes);
    }

    @Override
    public void free(DevicePtr memory) {}

    @Override
    public DevicePtr allocateArena(long bytes) {
        return allocate(bytes, "arena");
    }

    @Override
    public void freeArena(DevicePtr memory) {}

    @Override
    public PinnedBuffer allocatePinned(long bytes, String purpose) {
        MemorySegment memory = arena.allocate(bytes, 4096);
        pinnedBytes += bytes;
        return new PinnedBuffer(memory, new DevicePtr(memory.address(), bytes));
    }

    @Override
    public void freePinned(PinnedBuffer buffer) {
        pinnedBytes -= buffer.memory().byteSize();
    }

    @Override
    public DevicePtr placeWeights(MemorySegment bytes, String tensor) {
        return new DevicePtr(bytes.address(), bytes.byteSize());
    }

    @Override
    public GpuStream createStream() {
        return new GpuStream() {
            @Override
            public void synchronize() {}

            @Override
            public void close() {}
        };
    }

    @Override
    public GpuEvent createEvent() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void copyToDevice(MemorySegment source, long sourceOffset, DevicePtr target, long targetOffset, long bytes, GpuStream stream) {
        MemorySegment.copy(source, sourceOffset, memory(target), targetOffset, bytes);
    }

    @Override
    public void copyToHost(DevicePtr source, long sourceOffset, MemorySegment target, long targetOffset, long bytes, GpuStream stream) {
        MemorySegment.copy(memory(source), sourceOffset, target, targetOffset, bytes);
    }

    @Override
    public void copy(DevicePtr source, long sourceOffset, DevicePtr target, long targetOffset, long bytes, GpuStream stream) {
        MemorySegment.copy(memory(source), sourceOffset, memory(target), targetOffset, bytes);
    }

    @Override
    public void zero(DevicePtr target, long offset, long bytes, GpuStream stream) {
        memory(target).asSlice(offset, bytes).fill((byte) 0);
    }

    @Override
    public Kernels kernels(GpuStream stream) {
        throw new UnsupportedOperationException();
    }

    @Override
    public DeviceMemory memory() {
        return new DeviceMemory(0, 0, pinnedBytes, 0);
    }

    @Override
    public void close() {
        arena.close();
    }

    private static MemorySegment memory(DevicePtr pointer) {
        return MemorySegment.ofAddress(pointer.address()).reinterpret(pointer.bytes());
    }
}

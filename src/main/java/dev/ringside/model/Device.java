package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.PinnedBuffer;
import java.util.ArrayList;
import java.util.List;

/** What the blocks of a model share: the backend, one stream, its kernels, and the activation memory taken from it. */
final class Device implements AutoCloseable {

    private final GpuBackend backend;
    private final GpuStream stream;
    private final Kernels kernels;
    private final int maxRows;
    private final List<DevicePtr> memory = new ArrayList<>();
    private final List<PinnedBuffer> pinned = new ArrayList<>();

    Device(GpuBackend backend, int maxRows) {
        this.backend = backend;
        this.stream = backend.createStream();
        this.kernels = backend.kernels(stream);
        this.maxRows = maxRows;
    }

    GpuBackend backend() {
        return backend;
    }

    GpuStream stream() {
        return stream;
    }

    Kernels kernels() {
        return kernels;
    }

    int maxRows() {
        return maxRows;
    }

    /** Activations: {@code width} floats for each row of a step. */
    DevicePtr rows(long width, String purpose) {
        return floats(Math.multiplyExact(width, maxRows), purpose);
    }

    DevicePtr floats(long count, String purpose) {
        return bytes(Math.multiplyExact(4L, count), purpose);
    }

    DevicePtr bytes(long count, String purpose) {
        DevicePtr allocated = backend.allocate(count, purpose);
        memory.add(allocated);
        return allocated;
    }

    PinnedBuffer pinned(long bytes, String purpose) {
        PinnedBuffer allocated = backend.allocatePinned(bytes, purpose);
        pinned.add(allocated);
        return allocated;
    }

    @Override
    public void close() {
        memory.forEach(backend::free);
        memory.clear();
        pinned.forEach(backend::freePinned);
        pinned.clear();
        stream.close();
    }
}

package dev.ringside.gpu.cuda;

import dev.ringside.gpu.DevicePtr;
import org.jspecify.annotations.Nullable;

/** Device memory of an operation that grows to the largest call so far. */
final class Scratch implements AutoCloseable {

    private final CudaBackend backend;
    private final String purpose;
    private final MovedMemory moved;
    private @Nullable DevicePtr memory;

    Scratch(CudaBackend backend, String purpose, MovedMemory moved) {
        this.backend = backend;
        this.moved = moved;
        this.purpose = purpose;
    }

    /** The address of this much memory; what it held is lost when it grows. */
    long bytes(long needed) {
        DevicePtr held = memory;
        if (held == null || held.bytes() < needed) {
            close();
            held = backend.allocate(Math.max(4096, needed), purpose);
            moved.moved();
            memory = held;
        }
        return held.address();
    }

    /** As {@link #bytes}, for what grows with the context: doubled, so that it does not grow at every step. */
    long growing(long needed) {
        DevicePtr held = memory;
        return held != null && held.bytes() >= needed
                ? held.address()
                : bytes(Math.max(65_536, Long.highestOneBit(Math.max(1, needed - 1)) << 1));
    }

    long floats(long count) {
        return bytes(4 * count);
    }

    @Override
    public void close() {
        DevicePtr held = memory;
        if (held != null) {
            memory = null;
            // Freeing device memory waits for the kernels that still use it.
            backend.free(held);
        }
    }
}

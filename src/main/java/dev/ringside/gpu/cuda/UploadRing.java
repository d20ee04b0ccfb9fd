package dev.ringside.gpu.cuda;

import dev.ringside.gpu.Closing;
import dev.ringside.gpu.PinnedBuffer;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Page-locked memory for the small tables that the host writes and the device reads: two halves, each filled piece by piece, and written
 * again only when the copies out of it are done.
 */
final class UploadRing implements AutoCloseable {

    private static final long LEAST = 256 << 10;

    private final CudaBackend backend;
    private final Driver.Stream stream;
    private final Driver.Event[] events = new Driver.Event[2];
    private final boolean[] recorded = new boolean[2];
    private @Nullable PinnedBuffer buffer;
    private long halfBytes;
    private int half;
    private long used;

    UploadRing(CudaBackend backend, Driver.Stream stream) {
        this.backend = backend;
        this.stream = stream;
        this.events[0] = backend.cuda().createEvent();
        this.events[1] = backend.cuda().createEvent();
    }

    /** Memory for the next table; {@link #send} copies it. */
    MemorySegment reserve(long bytes) {
        long rounded = bytes + 255 & -256;
        PinnedBuffer held = buffer;
        if (held == null || rounded > halfBytes) {
            held = grow(rounded);
        }
        if (used + rounded > halfBytes) {
            turn();
        }
        MemorySegment memory = held.memory().asSlice(half * halfBytes + used, bytes);
        used += rounded;
        return memory;
    }

    private PinnedBuffer grow(long bytes) {
        free();
        halfBytes = Math.max(LEAST, Long.highestOneBit(Math.max(1, bytes - 1)) << 1);
        PinnedBuffer made = backend.allocatePinned(2 * halfBytes, "upload of step tables");
        buffer = made;
        return made;
    }

    private void turn() {
        backend.cuda().record(events[half], stream);
        recorded[half] = true;
        half = 1 - half;
        used = 0;
        if (recorded[half]) {
            backend.cuda().synchronize(events[half]);
        }
    }

    /** The address of reserved memory for kernels that read it where it is. */
    long device(MemorySegment reserved) {
        PinnedBuffer held = Objects.requireNonNull(buffer);
        return held.device().address() + (reserved.address() - held.memory().address());
    }

    /** Enqueues the copy of reserved memory. */
    void send(MemorySegment reserved, long target) {
        backend.cuda().copyToDevice(reserved.address(), target, reserved.byteSize(), stream);
    }

    private void free() {
        PinnedBuffer held = buffer;
        if (held != null) {
            buffer = null;
            backend.cuda().synchronize(stream);
            backend.freePinned(held);
        }
        used = 0;
        half = 0;
        recorded[0] = false;
        recorded[1] = false;
    }

    @Override
    public void close() {
        Closing closing = new Closing();
        closing.run(this::free);
        closing.run(() -> backend.cuda().destroy(events[0]));
        closing.run(() -> backend.cuda().destroy(events[1]));
        closing.finish();
    }
}

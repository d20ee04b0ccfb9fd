package dev.ringside.gpu.cuda;

import dev.ringside.gpu.Closing;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.PinnedBuffer;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies weights to the device through two page-locked halves in turn: one is filled from the mapped file while the other is on its way.
 * Thread safe; loads one tensor at a time.
 */
final class WeightLoader implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(WeightLoader.class);
    private static final long HALF = 16L << 20;
    /** Weights between two lines of progress. */
    private static final long REPORT = 4L << 30;

    private final Cuda cuda;
    private final PinnedLedger pinned;
    private final Driver.Stream stream;
    private final Driver.Event[] events = new Driver.Event[2];
    private @Nullable PinnedBuffer staging;
    private long loaded;

    WeightLoader(Cuda cuda, PinnedLedger pinned) {
        this.cuda = cuda;
        this.pinned = pinned;
        this.stream = cuda.createStream();
        this.events[0] = cuda.createEvent();
        this.events[1] = cuda.createEvent();
    }

    /** Returns when the bytes are on the device. */
    synchronized void load(MemorySegment source, DevicePtr target, String tensor) {
        PinnedBuffer buffer = staging;
        if (buffer == null) {
            buffer = pinned.allocate(2 * HALF, "staging of weights");
            staging = buffer;
        }
        int half = 0;
        for (long at = 0; at < source.byteSize(); at += HALF, half = 1 - half) {
            long bytes = Math.min(HALF, source.byteSize() - at);
            if (at >= 2 * HALF) {
                cuda.synchronize(events[half]);
            }
            MemorySegment.copy(source, at, buffer.memory(), half * HALF, bytes);
            cuda.copyToDevice(buffer.memory().address() + half * HALF, target.address() + at, bytes, stream);
            cuda.record(events[half], stream);
        }
        cuda.synchronize(stream);
        long before = loaded;
        loaded += source.byteSize();
        if (loaded / REPORT > before / REPORT) {
            LOG.info("{} GB of weights are on the device, the last of them {}", Math.round(loaded / 1e8) / 10.0, tensor);
        }
    }

    /** Zeroes memory and returns when it is done. */
    synchronized void zero(DevicePtr memory) {
        cuda.zero(memory.address(), memory.bytes(), stream);
        cuda.synchronize(stream);
    }

    @Override
    public synchronized void close() {
        Closing closing = new Closing();
        closing.run(() -> cuda.destroy(events[0]));
        closing.run(() -> cuda.destroy(events[1]));
        closing.run(() -> cuda.destroy(stream));
        PinnedBuffer buffer = staging;
        if (buffer != null) {
            staging = null;
            closing.run(() -> pinned.free(buffer));
        }
        closing.finish();
    }
}

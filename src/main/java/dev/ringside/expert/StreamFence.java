package dev.ringside.expert;

import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.GpuEvent;
import dev.ringside.gpu.GpuStream;
import org.jspecify.annotations.Nullable;

/**
 * An event that stays safe when the device refuses a call: memory behind a fence is never taken for free because its event could not be
 * recorded.
 */
final class StreamFence implements AutoCloseable {

    private final GpuEvent event;
    private boolean armed;
    private @Nullable GpuStream unmarked;

    StreamFence(GpuEvent event) {
        this.event = event;
    }

    /**
     * Marks the current end of the stream.
     *
     * @throws DeviceException when the event was refused; the stream was drained instead, or will be by {@link #await()}
     */
    void mark(GpuStream stream) {
        try {
            event.record(stream);
            armed = true;
            unmarked = null;
        } catch (DeviceException e) {
            armed = false;
            unmarked = stream;
            try {
                await();
            } catch (DeviceException drain) {
                e.addSuppressed(drain);
            }
            throw e;
        }
    }

    /** Blocks until the stream has passed the last mark. When it throws, the fence still stands. */
    void await() {
        if (unmarked != null) {
            unmarked.synchronize();
            unmarked = null;
        }
        if (armed) {
            event.await();
            armed = false;
        }
    }

    @Override
    public void close() {
        event.close();
    }
}

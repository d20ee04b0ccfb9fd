package dev.ringside.gpu;

/** An ordered queue of copies and kernels. Work enqueued on one stream runs in the order in which it was enqueued. */
public interface GpuStream extends AutoCloseable {

    /** Blocks until everything enqueued so far is done; throws {@link DeviceException} when any of it failed. */
    void synchronize();

    /** How often {@link #synchronize} was called, where that is a round trip to a device; by the thread that uses the stream. */
    default long waits() {
        return 0;
    }

    @Override
    void close();
}

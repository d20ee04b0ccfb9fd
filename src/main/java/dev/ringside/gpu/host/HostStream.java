package dev.ringside.gpu.host;

import dev.ringside.gpu.GpuEvent;
import dev.ringside.gpu.GpuStream;
import org.jspecify.annotations.Nullable;

/** A stream whose work is done by the time a call returns. */
final class HostStream implements GpuStream {

    private final WorkerPool pool;
    private @Nullable HostKernels kernels;

    HostStream(WorkerPool pool) {
        this.pool = pool;
    }

    synchronized HostKernels kernels() {
        HostKernels made = kernels;
        if (made == null) {
            made = new HostKernels(pool);
            kernels = made;
        }
        return made;
    }

    @Override
    public void synchronize() {
        // every call has completed when it returned
    }

    @Override
    public synchronized void close() {
        HostKernels made = kernels;
        if (made != null) {
            kernels = null;
            made.close();
        }
    }

    /** An event of such streams: always complete. */
    static final class Event implements GpuEvent {

        @Override
        public void record(GpuStream stream) {
            // nothing is ever pending
        }

        @Override
        public boolean isComplete() {
            return true;
        }

        @Override
        public void await() {
            // nothing is ever pending
        }

        @Override
        public void close() {
            // holds nothing
        }
    }
}

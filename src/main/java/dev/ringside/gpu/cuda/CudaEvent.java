package dev.ringside.gpu.cuda;

import dev.ringside.gpu.GpuEvent;
import dev.ringside.gpu.GpuStream;

/** An event of the device. */
final class CudaEvent implements GpuEvent {

    private final CudaBackend backend;
    private final Cuda cuda;
    private final Driver.Event handle;
    private boolean recorded;
    private boolean closed;

    CudaEvent(CudaBackend backend, Cuda cuda) {
        this.backend = backend;
        this.cuda = cuda;
        this.handle = cuda.createEvent();
    }

    @Override
    public void record(GpuStream stream) {
        cuda.record(handle, backend.own(stream).handle());
        recorded = true;
    }

    @Override
    public boolean isComplete() {
        return !recorded || cuda.isComplete(handle);
    }

    @Override
    public void await() {
        if (recorded) {
            cuda.synchronize(handle);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            backend.forget(this);
            cuda.destroy(handle);
        }
    }
}

package dev.ringside.gpu.cuda;

import dev.ringside.gpu.Closing;
import dev.ringside.gpu.GpuStream;
import org.jspecify.annotations.Nullable;

/** A stream of the device, what its copies keep reachable, and its kernels. */
final class CudaStream implements GpuStream {

    private final CudaBackend backend;
    private final Cuda cuda;
    private final Driver.Stream handle;
    private final RetainedSources sources;
    private @Nullable CudaKernels kernels;
    private long waits;
    private boolean closed;

    CudaStream(CudaBackend backend, Cuda cuda) {
        this.backend = backend;
        this.cuda = cuda;
        this.handle = cuda.createStream();
        this.sources = new RetainedSources(cuda, handle);
    }

    Driver.Stream handle() {
        return handle;
    }

    CudaBackend backend() {
        return backend;
    }

    RetainedSources sources() {
        return sources;
    }

    synchronized CudaKernels kernels() {
        CudaKernels made = kernels;
        if (made == null) {
            made = new CudaKernels(backend, this);
            kernels = made;
        }
        return made;
    }

    @Override
    public void synchronize() {
        waits++;
        cuda.synchronize(handle);
        sources.release();
    }

    @Override
    public long waits() {
        return waits;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        Closing closing = new Closing();
        closing.run(() -> cuda.synchronize(handle));
        CudaKernels made = kernels;
        if (made != null) {
            kernels = null;
            closing.run(made::close);
        }
        closing.run(sources::close);
        closing.run(() -> cuda.destroy(handle));
        backend.forget(this);
        closing.finish();
    }
}

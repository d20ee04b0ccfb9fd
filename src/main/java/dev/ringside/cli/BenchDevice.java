package dev.ringside.cli;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.cuda.CudaBackend;
import dev.ringside.gpu.host.HostBackend;

/** What {@code bench} runs on: values of {@code --backend}, as of {@code ringside.gpu.backend}. */
enum BenchDevice {
    auto, cuda, cpu;

    private static final int PASSES = 8;
    private static final long LARGEST_BUFFER = 4L << 30;

    /** Whether a GPU is used: one that was asked for, or one that is there. */
    boolean isGpu() {
        return this == cuda || this == auto && CudaBackend.obstacle() == null;
    }

    /**
     * Opens the device.
     *
     * @param threads worker threads of the CPU backend
     */
    GpuBackend open(int threads) {
        return isGpu() ? CudaBackend.create() : HostBackend.create(threads);
    }

    /** Bytes a second that a large copy within the device reads and writes, the best of some passes. */
    static double bandwidth(GpuBackend backend) {
        long bytes = Math.clamp(backend.device().totalBytes() / 16, 64L << 20, LARGEST_BUFFER);
        DevicePtr from = backend.allocate(bytes, "measuring the memory");
        try {
            DevicePtr to = backend.allocate(bytes, "measuring the memory");
            try (GpuStream stream = backend.createStream()) {
                double best = 0;
                for (int pass = 0; pass < PASSES; pass++) {
                    long start = System.nanoTime();
                    backend.copy(from, 0, to, 0, bytes, stream);
                    stream.synchronize();
                    best = Math.max(best, 2 * bytes * 1e9 / (System.nanoTime() - start));
                }
                return best;
            } finally {
                backend.free(to);
            }
        } finally {
            backend.free(from);
        }
    }
}

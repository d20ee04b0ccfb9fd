package dev.ringside.gpu.cuda;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.StepRows;

/**
 * What the operations of a stream share.
 *
 * @param processors streaming multiprocessors
 */
record OperationContext(CudaBackend backend, Launch launch, UploadRing uploads, StepTables step, int processors) {

    Kernel kernel(String module, String name) {
        return backend.modules().kernel(module, name);
    }

    Scratch scratch(String purpose) {
        return new Scratch(backend, purpose);
    }

    StepRows rows() {
        return step.rows();
    }

    /** Whole warps for this many elements, at most {@code most} threads. */
    static int threads(int elements, int most) {
        return Math.clamp((elements + 31L) & -32, 32, most);
    }

    static int blocks(long elements, int perBlock) {
        return Math.toIntExact((elements + perBlock - 1) / perBlock);
    }

    /** Kernels read activations of matrix products sixteen bytes at a time. */
    static void requireAligned(DevicePtr memory, String what) {
        if ((memory.address() & 15) != 0) {
            throw new IllegalArgumentException(what + " must be aligned to 16 bytes, found address " + memory.address());
        }
    }
}

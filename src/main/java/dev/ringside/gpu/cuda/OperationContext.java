package dev.ringside.gpu.cuda;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.StepRows;

/**
 * What the operations of a stream share.
 *
 * @param processors streaming multiprocessors
 * @param moved told of memory that moves
 */
record OperationContext(CudaBackend backend, Launch launch, UploadRing uploads, StepTables step, int processors, MovedMemory moved) {

    Kernel kernel(String module, String name) {
        return backend.modules().kernel(module, name);
    }

    Kernel kernel(String module, String name, int sharedBytes) {
        return backend.modules().kernel(module, name, sharedBytes);
    }

    Scratch scratch(String purpose) {
        return new Scratch(backend, purpose, moved);
    }

    StepRows rows() {
        return step.rows();
    }

    /**
     * How many of a product's leading rows are not of prompts.
     *
     * @param rows those of the step, or those whose logits are wanted; of others none are
     */
    int decodeRows(int rows) {
        StepRows all = step.rows();
        if (rows == all.rows()) {
            return all.decodeRows();
        }
        return rows == all.logitRows() ? all.decodeLogitRows() : rows;
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

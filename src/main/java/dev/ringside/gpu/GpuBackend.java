package dev.ringside.gpu;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A device: its memory, its streams and events, the copies between host and device, and the kernels.
 *
 * <p>Memory calls are thread safe. A stream and its kernels belong to one thread at a time.
 * Every call throws {@link DeviceException} when the device refuses it.
 */
public interface GpuBackend extends AutoCloseable {

    DeviceInfo device();

    /**
     * Zeroed device memory, aligned to 256 bytes, counted in the ledger.
     *
     * @param purpose what it is for, named when there is not enough
     * @throws DeviceOutOfMemoryException naming purpose, size asked and what is free
     */
    DevicePtr allocate(long bytes, String purpose);

    void free(DevicePtr memory);

    /** Device memory for an expert arena, aligned to 4096 bytes: outside the ledger, contents undefined. */
    DevicePtr allocateArena(long bytes);

    void freeArena(DevicePtr arena);

    /** Page-locked, zeroed host memory, aligned to 4096 bytes, that kernels can read in place. */
    PinnedBuffer allocatePinned(long bytes, String purpose);

    void freePinned(PinnedBuffer buffer);

    /**
     * Makes weight bytes readable by kernels: in place on the CPU backend (the segment must outlive the backend), copied on a GPU.
     * Freed when the backend closes.
     */
    DevicePtr placeWeights(MemorySegment bytes, String tensor);

    GpuStream createStream();

    GpuEvent createEvent();

    /**
     * Enqueues a copy from host to device. The source must stay unchanged until an event recorded behind the copy is complete; the
     * backend keeps it reachable until then.
     */
    void copyToDevice(MemorySegment source, long sourceOffset, DevicePtr target, long targetOffset, long bytes, GpuStream stream);

    /** Enqueues a copy from device to host; the target holds the bytes once the stream has passed it. */
    void copyToHost(DevicePtr source, long sourceOffset, MemorySegment target, long targetOffset, long bytes, GpuStream stream);

    /** Enqueues a copy within the device. The ranges must not overlap. */
    void copy(DevicePtr source, long sourceOffset, DevicePtr target, long targetOffset, long bytes, GpuStream stream);

    /** Enqueues zeroing of a range. */
    void zero(DevicePtr target, long offset, long bytes, GpuStream stream);

    /** The kernels that run on {@code stream}. One instance per stream; it owns its scratch memory. */
    Kernels kernels(GpuStream stream);

    DeviceMemory memory();

    /** What made the device unusable until the process is started again, or null; from any thread. */
    default @Nullable String fault() {
        return null;
    }

    /** Frees everything the backend still holds, even if one free fails. Idempotent. */
    @Override
    void close();
}

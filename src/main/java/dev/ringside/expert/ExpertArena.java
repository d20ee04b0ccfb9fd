package dev.ringside.expert;

import dev.ringside.gpu.GpuStream;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the slots, and the ways bytes get into them. All calls happen in one thread, always with the same stream; only the memory
 * that lanes hand out is written by others.
 */
public sealed interface ExpertArena extends AutoCloseable permits DeviceArena, PinnedArena {

    /** {@link ArenaKind#DEVICE} or {@link ArenaKind#PINNED}. */
    ArenaKind kind();

    int slots();

    long slotBytes();

    /** Device address of a slot. */
    long address(int slot);

    /** Kernels that read these slots were enqueued. */
    void used(int[] slots, int count, GpuStream stream);

    /** Most slots of one batch. */
    int batchLimit();

    /** Experts staged but not copied yet. */
    int staged();

    /** What the host tier holds; nothing where there is none. */
    HostTierSnapshot hostTier();

    /** The way in for experts that a gather waits for; {@code speculative} for those it does not wait for, null where there is no such way. */
    @Nullable
    FillLane lane(boolean speculative);

    /**
     * Makes room for more slots.
     *
     * @throws dev.ringside.gpu.DeviceException when the memory cannot be had; nothing changed
     */
    void grow(int slots);

    /** Copies the bytes of a slot to one that nothing uses. */
    void move(int from, int to, GpuStream stream);

    /** Gives back memory that only slots from {@code slots} on lie in. Nothing may use those. */
    void shrink(int slots);

    /** Waits for outstanding copies and frees everything, even if one free fails. Idempotent. */
    @Override
    void close();
}

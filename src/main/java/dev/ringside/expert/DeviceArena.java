package dev.ringside.expert;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.GpuStream;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Slots in device memory, filled by copies from a {@link StagingRing}, or from a {@link HostTier} where there is one. Stream order alone
 * keeps a slot from being overwritten while kernels enqueued earlier still read it.
 */
public final class DeviceArena implements ExpertArena {

    private final GpuBackend backend;
    private final SlotChunks<DevicePtr> memory;
    private final long slotBytes;
    private final ClosingStack owned = new ClosingStack();
    private final @Nullable HostTier tier;
    private final FillLane urgent;
    private final @Nullable FillLane speculative;
    private final int batchLimit;
    private int slots;
    private boolean closed;

    DeviceArena(GpuBackend backend, ExpertSource source, int slots, ExpertOptions options) {
        this.backend = backend;
        this.slots = slots;
        this.slotBytes = source.layout().slotBytes();
        this.memory = new SlotChunks<>(slotBytes);
        int staging = options.stagingSlotsOrDefault();
        StagingRing.requireEven(staging);
        this.batchLimit = Math.max(1, Math.min(staging / 2, slots / 2));
        try {
            grow(slots);
            owned.later(() -> memory.shrink(0, backend::freeArena));
            int tierSlots = options.tierSlots(source, batchLimit);
            boolean looksAhead = options.tuning().lookahead();
            if (tierSlots > 0) {
                HostTier made = owned.push(new HostTier(backend, source, tierSlots, options.seed()));
                tier = made;
                urgent = new TierLane(source, this, made, batchLimit);
                speculative = looksAhead ? new TierLane(source, this, made, batchLimit) : null;
            } else {
                tier = null;
                urgent = new RingLane(source, this, owned.push(new StagingRing(backend, staging, source.stagingBytes())));
                speculative = looksAhead
                        ? new RingLane(source, this, owned.push(new StagingRing(backend, staging, source.stagingBytes())))
                        : null;
            }
        } catch (RuntimeException e) {
            owned.closeAfter(e);
            throw e;
        }
    }

    @Override
    public ArenaKind kind() {
        return ArenaKind.DEVICE;
    }

    @Override
    public int slots() {
        return slots;
    }

    @Override
    public long slotBytes() {
        return slotBytes;
    }

    @Override
    public long address(int slot) {
        return memory.chunk(slot).address() + memory.offset(slot);
    }

    @Override
    public int batchLimit() {
        return batchLimit;
    }

    @Override
    public int staged() {
        return urgent instanceof RingLane ring ? ring.occupied() : 0;
    }

    @Override
    public HostTierSnapshot hostTier() {
        return tier == null ? HostTierSnapshot.NONE : tier.snapshot();
    }

    @Override
    public @Nullable FillLane lane(boolean forSpeculation) {
        return forSpeculation ? speculative : urgent;
    }

    /** The allocation a slot lies in. */
    DevicePtr chunk(int slot) {
        return memory.chunk(slot);
    }

    /** Where a slot begins in its allocation. */
    long offset(int slot) {
        return memory.offset(slot);
    }

    /** Enqueues the copy of the first {@code bytes} bytes of page-locked memory into a slot. */
    void copyIn(MemorySegment pinned, int slot, long bytes, GpuStream stream) {
        backend.copyToDevice(pinned, 0, chunk(slot), offset(slot), bytes, stream);
    }

    @Override
    public void used(int[] batch, int count, GpuStream stream) {
        // Copies into a slot run behind these kernels on the same stream.
    }

    @Override
    public void grow(int count) {
        memory.grow(count, backend::allocateArena, backend::freeArena);
        slots = count;
    }

    @Override
    public void move(int from, int to, GpuStream stream) {
        backend.copy(chunk(from), offset(from), chunk(to), offset(to), slotBytes, stream);
    }

    @Override
    public void shrink(int count) {
        slots = count;
        memory.shrink(count, backend::freeArena);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        owned.close();
    }
}

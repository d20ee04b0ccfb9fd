package dev.ringside.expert;

import dev.ringside.gpu.Closing;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.PinnedBuffer;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Slots in page-locked host memory: readers write straight into them and kernels read them in place. Stream order does not hold back a
 * reader, so each use of slots leaves a fence behind, and a slot is written again only after the fence of its last use.
 */
public final class PinnedArena implements ExpertArena {

    /** Uses that can be told apart; waiting for an older one waits for the oldest of these, which is behind it on the same stream. */
    private static final int FENCES = 16;

    private final GpuBackend backend;
    private final String purpose;
    private final SlotChunks<PinnedBuffer> buffers;
    private final long slotBytes;
    private final boolean windows;
    private final int shift;
    private final long expertBytes;
    private final int batchLimit;
    private final FillLane urgent;
    private final FillLane speculative;
    private final StreamFence[] fences = new StreamFence[FENCES];
    private final ClosingStack owned = new ClosingStack();
    private MemorySegment[] memory = new MemorySegment[0];
    private MemorySegment[] rooms = new MemorySegment[0];
    /** Number of the last use of each slot, counted from 1; 0 when it was never used. */
    private long[] lastUse = new long[0];
    private long uses;
    private boolean closed;

    PinnedArena(GpuBackend backend, ExpertSource source, int slots, int stagingSlots, String purpose) {
        this.backend = backend;
        this.purpose = purpose;
        this.windows = source.slotsTakeWindows();
        this.shift = windows ? source.slotShift() : 0;
        this.expertBytes = source.layout().slotBytes();
        this.slotBytes = windows ? source.stagingBytes() : expertBytes;
        this.buffers = new SlotChunks<>(slotBytes);
        this.batchLimit = Math.max(1, Math.min(stagingSlots / 2, slots / 2));
        this.urgent = new PinnedLane(this, batchLimit);
        this.speculative = new PinnedLane(this, batchLimit);
        try {
            grow(slots);
            owned.later(() -> buffers.shrink(0, backend::freePinned));
            for (int i = 0; i < FENCES; i++) {
                fences[i] = owned.push(new StreamFence(backend.createEvent()));
            }
        } catch (RuntimeException e) {
            owned.closeAfter(e);
            throw e;
        }
    }

    @Override
    public ArenaKind kind() {
        return ArenaKind.PINNED;
    }

    @Override
    public int slots() {
        return memory.length;
    }

    @Override
    public long slotBytes() {
        return slotBytes;
    }

    @Override
    public long address(int slot) {
        return buffers.chunk(slot).device().address() + buffers.offset(slot) + shift;
    }

    @Override
    public int batchLimit() {
        return batchLimit;
    }

    @Override
    public int staged() {
        return 0;
    }

    @Override
    public HostTierSnapshot hostTier() {
        return HostTierSnapshot.NONE;
    }

    @Override
    public @Nullable FillLane lane(boolean forSpeculation) {
        return forSpeculation ? speculative : urgent;
    }

    /** The bytes of the expert in a slot. */
    MemorySegment memory(int slot) {
        return memory[slot];
    }

    /** Where an expert is read to: a slot with room for whole windows of a file if it {@link #takesWindows}, else its bytes. */
    MemorySegment destination(int slot) {
        return windows ? rooms[slot] : memory[slot];
    }

    /** Whether slots are read into as {@link ExpertSource#stage} does. */
    boolean takesWindows() {
        return windows;
    }

    /** Blocks until nothing enqueued reads these slots. */
    void awaitUnused(int[] batch, int count) {
        long latest = 0;
        for (int i = 0; i < count; i++) {
            latest = Math.max(latest, lastUse[batch[i]]);
        }
        if (latest > 0) {
            fences[(int) (Math.max(latest, uses - FENCES + 1) % FENCES)].await();
        }
    }

    @Override
    public void used(int[] batch, int count, GpuStream stream) {
        uses++;
        for (int i = 0; i < count; i++) {
            lastUse[batch[i]] = uses;
        }
        fences[(int) (uses % FENCES)].mark(stream);
    }

    @Override
    public void grow(int count) {
        buffers.grow(count, bytes -> {
            PinnedBuffer buffer = backend.allocatePinned(bytes, purpose + " of " + count + " slots");
            Posix.largePages(buffer.memory());
            return buffer;
        }, backend::freePinned);
        resized(count);
    }

    @Override
    public void move(int from, int to, GpuStream stream) {
        stream.synchronize();
        MemorySegment.copy(memory[from], 0, memory[to], 0, expertBytes);
    }

    @Override
    public void shrink(int count) {
        buffers.shrink(count, backend::freePinned);
        resized(count);
    }

    private void resized(int count) {
        int before = memory.length;
        memory = Arrays.copyOf(memory, count);
        rooms = Arrays.copyOf(rooms, count);
        lastUse = Arrays.copyOf(lastUse, count);
        for (int slot = before; slot < count; slot++) {
            rooms[slot] = buffers.chunk(slot).memory().asSlice(buffers.offset(slot), slotBytes);
            memory[slot] = rooms[slot].asSlice(shift, expertBytes);
            // A slot that was given up and taken back may still be read by work enqueued before.
            lastUse[slot] = uses;
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        Closing closing = new Closing();
        for (StreamFence fence : fences) {
            closing.run(fence::await);
        }
        closing.run(owned::close);
        closing.finish();
    }
}

package dev.ringside.expert;

import dev.ringside.gpu.GpuStream;
import java.lang.foreign.MemorySegment;

/** Reads straight into the slots of a pinned arena. */
final class PinnedLane implements FillLane {

    private final PinnedArena arena;
    private final int[] slots;

    PinnedLane(PinnedArena arena, int limit) {
        this.arena = arena;
        this.slots = new int[limit];
    }

    @Override
    public int limit() {
        return slots.length;
    }

    @Override
    public void begin(int layer, int[] experts, int[] into, int count) {
        System.arraycopy(into, 0, slots, 0, count);
        arena.awaitUnused(into, count);
    }

    @Override
    public boolean present(int index) {
        return false;
    }

    @Override
    public MemorySegment destination(int index) {
        return arena.destination(slots[index]);
    }

    @Override
    public boolean staged() {
        return arena.takesWindows();
    }

    @Override
    public boolean publish(int index, GpuStream stream) {
        // The bytes are where kernels read them.
        return true;
    }

    @Override
    public void discard(int index) {
        // Nothing was done for it.
    }

    @Override
    public void seal(GpuStream stream) {
        // Nothing was enqueued.
    }
}

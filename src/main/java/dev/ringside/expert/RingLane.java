package dev.ringside.expert;

import dev.ringside.gpu.GpuStream;
import java.lang.foreign.MemorySegment;

/** Reads into a staging ring and copies from there into device slots: in one piece, or matrix by matrix where the source stages them apart. */
final class RingLane implements FillLane {

    private final ExpertSource source;
    private final DeviceArena arena;
    private final StagingRing ring;
    private final int[] experts;
    private final int[] slots;
    private int layer;
    private volatile int occupied;

    RingLane(ExpertSource source, DeviceArena arena, StagingRing ring) {
        this.source = source;
        this.arena = arena;
        this.ring = ring;
        this.experts = new int[ring.halfSlots()];
        this.slots = new int[ring.halfSlots()];
    }

    /** Experts in the half in use that are not copied yet. */
    int occupied() {
        return occupied;
    }

    @Override
    public int limit() {
        return ring.halfSlots();
    }

    @Override
    public void begin(int ofLayer, int[] batch, int[] into, int count) {
        layer = ofLayer;
        System.arraycopy(batch, 0, experts, 0, count);
        System.arraycopy(into, 0, slots, 0, count);
        ring.next();
        occupied = count;
    }

    @Override
    public boolean present(int index) {
        return false;
    }

    @Override
    public MemorySegment destination(int index) {
        return ring.slot(index);
    }

    @Override
    public boolean staged() {
        return true;
    }

    @Override
    public boolean publish(int index, GpuStream stream) {
        int slot = slots[index];
        if (!source.stagedApart()) {
            ring.copy(index, source.slotShift(), arena.chunk(slot), arena.offset(slot), source.layout().usedBytes(layer), stream);
            return true;
        }
        for (int role = 0; role < LayerExtents.ROLES; role++) {
            ring.copy(index, source.stagedOffset(layer, experts[index], role), arena.chunk(slot),
                    arena.offset(slot) + source.layout().offset(layer, role), source.layout().bytes(layer, role), stream);
        }
        return true;
    }

    @Override
    public void discard(int index) {
        // The ring's slot is free once the half is.
    }

    @Override
    public void seal(GpuStream stream) {
        occupied = 0;
        ring.seal(stream);
    }
}

package dev.ringside.expert;

import dev.ringside.gpu.GpuStream;
import java.lang.foreign.MemorySegment;

/**
 * Fills device slots from the host tier. What the tier holds is copied from its pinned slot; what it does not hold is read into one of its
 * slots, where it stays, and copied from there. No ring is needed, and an evicted device slot needs no write-back.
 */
final class TierLane implements FillLane {

    private static final int NONE = -1;

    private final ExpertSource source;
    private final DeviceArena arena;
    private final HostTier tier;
    private final int[] keys;
    private final int[] slots;
    /** Tier slot of each expert, {@link #NONE} once it was discarded. */
    private final int[] tierSlots;
    private final boolean[] present;
    private final int[] reserved;
    private final int[] copied;
    private int copies;

    TierLane(ExpertSource source, DeviceArena arena, HostTier tier, int limit) {
        this.source = source;
        this.arena = arena;
        this.tier = tier;
        this.keys = new int[limit];
        this.slots = new int[limit];
        this.tierSlots = new int[limit];
        this.present = new boolean[limit];
        this.reserved = new int[limit];
        this.copied = new int[limit];
    }

    @Override
    public int limit() {
        return keys.length;
    }

    @Override
    public void begin(int layer, int[] experts, int[] into, int count) {
        copies = 0;
        tier.cache().beginStep();
        int absent = 0;
        for (int i = 0; i < count; i++) {
            keys[i] = ExpertKey.of(layer, experts[i]);
            slots[i] = into[i];
            tierSlots[i] = tier.cache().find(keys[i]);
            present[i] = tierSlots[i] >= 0;
            if (present[i]) {
                tier.cache().touch(tierSlots[i]);
            } else {
                absent++;
            }
        }
        tier.cache().reserve(absent, reserved);
        try {
            tier.memory().awaitUnused(reserved, absent);
        } catch (RuntimeException e) {
            for (int i = 0; i < absent; i++) {
                tier.cache().release(reserved[i]);
            }
            throw e;
        }
        for (int i = 0; i < count; i++) {
            if (!present[i]) {
                tierSlots[i] = reserved[--absent];
            }
        }
    }

    @Override
    public boolean present(int index) {
        return present[index];
    }

    @Override
    public MemorySegment destination(int index) {
        return tier.memory().destination(tierSlots[index]);
    }

    @Override
    public boolean staged() {
        return tier.memory().takesWindows();
    }

    @Override
    public boolean publish(int index, GpuStream stream) {
        if (present[index]) {
            // The other lane may have taken the slot since.
            if (tier.cache().find(keys[index]) != tierSlots[index]) {
                return false;
            }
            tier.hit();
        } else {
            int other = tier.cache().find(keys[index]);
            if (other >= 0) {
                tier.cache().forget(other);
            }
            tier.cache().publish(tierSlots[index], keys[index]);
            present[index] = true;
        }
        // Counted first: a call that fails may have enqueued something all the same.
        copied[copies++] = tierSlots[index];
        arena.copyIn(tier.memory().memory(tierSlots[index]), slots[index], source.layout().usedBytes(ExpertKey.layer(keys[index])), stream);
        return true;
    }

    @Override
    public void discard(int index) {
        if (!present[index] && tierSlots[index] != NONE) {
            tier.cache().release(tierSlots[index]);
        }
        tierSlots[index] = NONE;
        present[index] = false;
    }

    @Override
    public void seal(GpuStream stream) {
        if (copies > 0) {
            int count = copies;
            copies = 0;
            tier.memory().used(copied, count, stream);
        }
    }
}

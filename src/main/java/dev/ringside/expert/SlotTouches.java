package dev.ringside.expert;

import java.util.Arrays;

/** In which step each slot was touched last. Slots touched in the current one are pinned by it. */
final class SlotTouches {

    private static final long NEVER = 0;
    private static final long FIRST_STEP = 1;

    private final long[] epochs;
    private long epoch;
    private int pinned;

    SlotTouches(int slots) {
        this(new long[slots], FIRST_STEP);
    }

    private SlotTouches(long[] epochs, long epoch) {
        this.epochs = epochs;
        this.epoch = epoch;
    }

    /** The same history for another number of slots, none of them pinned. */
    SlotTouches resized(int slots) {
        SlotTouches resized = new SlotTouches(Arrays.copyOf(epochs, slots), epoch);
        resized.beginStep();
        return resized;
    }

    /** Unpins all. */
    void beginStep() {
        epoch++;
        pinned = 0;
    }

    /** Steps so far. */
    long steps() {
        return epoch;
    }

    /** Steps since a slot was touched. */
    long age(int slot) {
        return epoch - epochs[slot];
    }

    boolean isPinned(int slot) {
        return epochs[slot] == epoch;
    }

    /** Slots that are pinned. */
    int pinned() {
        return pinned;
    }

    void touch(int slot) {
        if (epochs[slot] != epoch) {
            epochs[slot] = epoch;
            pinned++;
        }
    }

    /** The expert in a slot is gone; what is known of the slot is forgotten if it was pinned. */
    void unpin(int slot) {
        if (isPinned(slot)) {
            epochs[slot] = NEVER;
            pinned--;
        }
    }

    /** What was in a slot, which is not pinned, is in another one now. */
    void move(int from, int to) {
        epochs[to] = epochs[from];
    }
}

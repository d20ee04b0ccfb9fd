package dev.ringside.expert;

import java.util.Arrays;

/** Slots by key: open addressing over ints with linear probing, at most half full, removal by shifting back. Never allocates. */
final class SlotMap {

    private static final int EMPTY = -1;

    private final int[] keys;
    private final int[] slots;
    private final int mask;
    private final int shift;

    /** @param capacity most keys held at once */
    SlotMap(int capacity) {
        int size = Integer.highestOneBit(Math.max(2, capacity) * 2 - 1) * 2;
        this.keys = new int[size];
        this.slots = new int[size];
        this.mask = size - 1;
        this.shift = Integer.numberOfLeadingZeros(mask);
        Arrays.fill(keys, EMPTY);
    }

    /** The slot of a key, or -1. */
    int get(int key) {
        for (int i = home(key);; i = i + 1 & mask) {
            if (keys[i] == key) {
                return slots[i];
            }
            if (keys[i] == EMPTY) {
                return -1;
            }
        }
    }

    /** Adds a key that is not in the map. */
    void put(int key, int slot) {
        int i = home(key);
        while (keys[i] != EMPTY) {
            i = i + 1 & mask;
        }
        keys[i] = key;
        slots[i] = slot;
    }

    void remove(int key) {
        int hole = home(key);
        while (keys[hole] != key) {
            if (keys[hole] == EMPTY) {
                return;
            }
            hole = hole + 1 & mask;
        }
        for (int i = hole + 1 & mask; keys[i] != EMPTY; i = i + 1 & mask) {
            // An entry may fill the hole only when its home is not between the hole and itself.
            if ((i - home(keys[i]) & mask) >= (i - hole & mask)) {
                keys[hole] = keys[i];
                slots[hole] = slots[i];
                hole = i;
            }
        }
        keys[hole] = EMPTY;
    }

    void clear() {
        Arrays.fill(keys, EMPTY);
    }

    private int home(int key) {
        // Fibonacci hashing: consecutive experts of a layer spread over the table.
        return (key * 0x9E3779B9) >>> shift;
    }
}

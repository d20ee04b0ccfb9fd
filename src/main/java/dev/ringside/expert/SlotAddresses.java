package dev.ringside.expert;

import java.util.Arrays;

/**
 * Where the slot of each expert begins, as a table {@code [layers][experts]} with 0 for experts in no slot, and which of its cells changed
 * since they were last taken over: a copy on the device follows by those alone. Belongs to the thread that gathers, allocates nothing.
 */
public final class SlotAddresses {

    private final int layers;
    private final int experts;
    private final long[] addresses;
    private final int[] changed;
    private final long[] values;
    private final boolean[] listed;
    private int count;

    SlotAddresses(int layers, int experts) {
        this.layers = layers;
        this.experts = experts;
        int cells = Math.multiplyExact(layers, experts);
        this.addresses = new long[cells];
        this.changed = new int[cells];
        this.values = new long[cells];
        this.listed = new boolean[cells];
    }

    /** Layers of the table, those without experts in front of the last that has some included. */
    public int layers() {
        return layers;
    }

    /** Experts of each layer of the table, as many as the largest layer has. */
    public int experts() {
        return experts;
    }

    void set(int key, long address) {
        int cell = ExpertKey.layer(key) * experts + ExpertKey.expert(key);
        if (addresses[cell] != address) {
            addresses[cell] = address;
            if (!listed[cell]) {
                listed[cell] = true;
                changed[count++] = cell;
            }
        }
    }

    /** The slot address of an expert, 0 when it is in none. */
    public long address(int layer, int expert) {
        return addresses[layer * experts + expert];
    }

    /** Cells that changed, {@code layer * experts() + expert} each, the first {@link #changes} entries. */
    public int[] cells() {
        return changed;
    }

    /** The new value of each of the {@link #cells}; what they were in between is not told. */
    public long[] values() {
        for (int i = 0; i < count; i++) {
            values[i] = addresses[changed[i]];
        }
        return values;
    }

    /** How many cells changed since {@link #takenOver}. */
    public int changes() {
        return count;
    }

    /** Whoever copies the table has copied what changed. */
    public void takenOver() {
        for (int i = 0; i < count; i++) {
            listed[changed[i]] = false;
        }
        count = 0;
    }

    /** Whoever copies the table begins with zeros. */
    public void takeOverAll() {
        Arrays.fill(listed, false);
        count = 0;
        for (int cell = 0; cell < addresses.length; cell++) {
            if (addresses[cell] != 0) {
                listed[cell] = true;
                changed[count++] = cell;
            }
        }
    }
}

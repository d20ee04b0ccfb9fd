package dev.ringside.expert;

import java.util.Arrays;

/**
 * Which expert is in which slot, and which slot gives way next. Holds no expert bytes.
 *
 * <p>A slot is free, reserved (bytes are on their way, no key leads to it) or mapped. Slots touched since the last {@link #beginStep} and
 * reserved slots cannot be evicted. Mapped slots form a list in order of use. Belongs to one thread and allocates only when resized.
 */
final class ExpertCache {

    private static final int FREE = -1;
    private static final int RESERVED = -2;

    private final VictimPolicy policy;
    private final ResidencyCounters counters;
    private SlotMap map;
    /** Key of a mapped slot, else {@link #FREE} or {@link #RESERVED}. */
    private int[] keys;
    private int[] next;
    private int[] previous;
    private long[] epochs;
    /** Slots that give way before any other, once they are the oldest. */
    private boolean[] disposable;
    private int[] freeSlots;
    private int freeCount;
    private int reserved;
    private int pinned;
    private long epoch = 1;

    ExpertCache(int slots, VictimPolicy policy, ResidencyCounters counters) {
        this.policy = policy;
        this.counters = counters;
        this.map = new SlotMap(slots);
        this.keys = new int[slots];
        this.next = new int[slots + 1];
        this.previous = new int[slots + 1];
        this.epochs = new long[slots];
        this.disposable = new boolean[slots];
        this.freeSlots = new int[slots];
        Arrays.fill(keys, FREE);
        clear();
    }

    int slots() {
        return keys.length;
    }

    /** Experts in slots. */
    int resident() {
        return keys.length - reserved - freeCount;
    }

    /** The slot a key is in, or -1. */
    int find(int key) {
        return map.get(key);
    }

    /** The key in a slot, or a negative number when there is none. */
    int key(int slot) {
        return keys[slot];
    }

    boolean isReserved(int slot) {
        return keys[slot] == RESERVED;
    }

    /** Slots that are neither reserved nor mapped. */
    int free() {
        return freeCount;
    }

    /** Slots touched until now can be evicted again. */
    void beginStep() {
        epoch++;
        pinned = 0;
    }

    /** Tells the policy which experts a gather needs; they must be distinct. */
    void asked(int layer, int[] experts, int count) {
        policy.asked(layer, experts, count);
    }

    /** Makes a mapped slot the most recently used one and keeps it until the next step. */
    void touch(int slot) {
        unlink(slot);
        linkFront(slot);
        disposable[slot] = false;
        pin(slot);
    }

    /** Makes a mapped slot the next to give way. */
    void demote(int slot) {
        unlink(slot);
        int head = slots();
        int last = previous[head];
        previous[slot] = last;
        next[slot] = head;
        next[last] = slot;
        previous[head] = slot;
        disposable[slot] = true;
    }

    /** Slots that can be reserved now. */
    int available() {
        return slots() - reserved - pinned;
    }

    /** Mapped slots that can be evicted now. */
    int evictable() {
        return resident() - pinned;
    }

    /** The least recently used mapped slot; {@link #slots()} when there is none. */
    int oldest() {
        return previous[slots()];
    }

    /** The most recently used mapped slot; {@link #slots()} when there is none. */
    int newest() {
        return next[slots()];
    }

    /** The slot used next after this one; {@link #slots()} behind the newest. */
    int newer(int slot) {
        return previous[slot];
    }

    /** The slot used last before this one; {@link #slots()} behind the oldest. */
    int older(int slot) {
        return next[slot];
    }

    /** Steps so far. */
    long steps() {
        return epoch;
    }

    /** Steps since a mapped slot was touched. */
    long age(int slot) {
        return epoch - epochs[slot];
    }

    /** Whether a mapped slot was not touched in this step. */
    boolean evictable(int slot) {
        return epochs[slot] != epoch;
    }

    /**
     * Reserves slots, evicting where none is free. Either all are reserved or nothing changes.
     *
     * @param out receives the slots from index 0 on
     * @throws IllegalStateException when fewer slots can be had, with both numbers
     */
    void reserve(int count, int[] out) {
        if (count > available()) {
            throw new IllegalStateException("A fetch of " + count + " experts does not fit: " + available() + " of " + slots()
                    + " slots can be evicted now");
        }
        for (int i = 0; i < count; i++) {
            int slot = freeCount > 0 ? freeSlots[--freeCount] : evict();
            keys[slot] = RESERVED;
            reserved++;
            out[i] = slot;
        }
    }

    /** Makes a reserved slot's expert visible and keeps it until the next step. Its bytes must be whole. */
    void publish(int slot, int key) {
        requireReserved(slot);
        reserved--;
        keys[slot] = key;
        disposable[slot] = false;
        map.put(key, slot);
        linkFront(slot);
        pin(slot);
        counters.mapped(key);
    }

    /** Gives back a reserved slot whose bytes did not arrive. */
    void release(int slot) {
        requireReserved(slot);
        reserved--;
        free(slot);
    }

    /** Forgets the expert in a mapped slot. */
    void forget(int slot) {
        counters.unmapped(keys[slot]);
        remove(slot);
        free(slot);
    }

    /** Evicts one expert without taking its slot. */
    void shed() {
        free(evict());
    }

    /** Forgets everything, for when the device may have lost what was copied. No slot may be reserved. */
    void clear() {
        requireNoneReserved();
        for (int key : keys) {
            if (key >= 0) {
                counters.unmapped(key);
            }
        }
        map.clear();
        Arrays.fill(keys, FREE);
        resetLists();
    }

    private void resetLists() {
        next[slots()] = slots();
        previous[slots()] = slots();
        freeCount = 0;
        for (int i = slots() - 1; i >= 0; i--) {
            if (keys[i] == FREE) {
                freeSlots[freeCount++] = i;
            }
        }
        beginStep();
    }

    /** Says that the bytes of a mapped slot are in a free one now. */
    void move(int from, int to) {
        int key = keys[from];
        boolean gone = disposable[from];
        long touched = epochs[from];
        int at = previous[from];
        remove(from);
        keys[from] = FREE;
        keys[to] = key;
        disposable[to] = gone;
        epochs[to] = touched;
        map.put(key, to);
        int after = next[at];
        next[at] = to;
        previous[to] = at;
        next[to] = after;
        previous[after] = to;
    }

    /** The first slot from {@code slot} on that is free; {@link #slots()} when there is none. */
    int nextFree(int slot) {
        int at = slot;
        while (at < slots() && keys[at] != FREE) {
            at++;
        }
        return at;
    }

    /** Changes the number of slots. No slot may be reserved, none beyond the new number mapped. Puts moves of {@link #move} in order. */
    void resize(int slots) {
        requireNoneReserved();
        int old = slots();
        int[] order = new int[old];
        int count = 0;
        for (int slot = oldest(); slot != old; slot = newer(slot)) {
            order[count++] = slot;
        }
        SlotMap mapped = new SlotMap(slots);
        int[] kept = Arrays.copyOf(keys, slots);
        if (slots > old) {
            Arrays.fill(kept, old, slots, FREE);
        }
        for (int i = 0; i < count; i++) {
            mapped.put(kept[order[i]], order[i]);
        }
        map = mapped;
        keys = kept;
        next = new int[slots + 1];
        previous = new int[slots + 1];
        epochs = Arrays.copyOf(epochs, slots);
        disposable = Arrays.copyOf(disposable, slots);
        freeSlots = new int[slots];
        resetLists();
        for (int i = 0; i < count; i++) {
            linkFront(order[i]);
        }
        policy.resized(slots);
    }

    private int evict() {
        int slot = oldest();
        if (!disposable[slot] || !evictable(slot)) {
            slot = policy.victim(this);
        }
        counters.evicted(keys[slot]);
        remove(slot);
        return slot;
    }

    private void remove(int slot) {
        unlink(slot);
        map.remove(keys[slot]);
        if (epochs[slot] == epoch) {
            epochs[slot] = 0;
            pinned--;
        }
    }

    private void free(int slot) {
        keys[slot] = FREE;
        freeSlots[freeCount++] = slot;
    }

    private void pin(int slot) {
        if (epochs[slot] != epoch) {
            epochs[slot] = epoch;
            pinned++;
        }
    }

    private void linkFront(int slot) {
        int head = slots();
        int first = next[head];
        next[slot] = first;
        previous[slot] = head;
        previous[first] = slot;
        next[head] = slot;
    }

    private void unlink(int slot) {
        next[previous[slot]] = next[slot];
        previous[next[slot]] = previous[slot];
    }

    private void requireReserved(int slot) {
        if (keys[slot] != RESERVED) {
            throw new IllegalStateException("Slot " + slot + " is not being filled");
        }
    }

    private void requireNoneReserved() {
        if (reserved > 0) {
            throw new IllegalStateException(reserved + " slots are still being filled");
        }
    }
}

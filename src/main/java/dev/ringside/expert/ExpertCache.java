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
    /** Of the mapped slots. */
    private UseOrder order;
    private SlotTouches touches;
    /** Slots that give way before any other, once they are the oldest. */
    private boolean[] disposable;
    private int[] freeSlots;
    private int freeCount;
    private int reserved;
    private SlotWatcher watcher = (key, slot) -> {
        // Nobody watches.
    };

    /** Told where a key leads from now on. */
    @FunctionalInterface
    interface SlotWatcher {

        /** @param slot a slot, or -1 for none */
        void leadsTo(int key, int slot);
    }

    ExpertCache(int slots, VictimPolicy policy, ResidencyCounters counters) {
        this.policy = policy;
        this.counters = counters;
        this.map = new SlotMap(slots);
        this.keys = new int[slots];
        this.order = new UseOrder(slots);
        this.touches = new SlotTouches(slots);
        this.disposable = new boolean[slots];
        this.freeSlots = new int[slots];
        Arrays.fill(keys, FREE);
        clear();
    }

    void watchedBy(SlotWatcher newWatcher) {
        watcher = newWatcher;
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
        touches.beginStep();
    }

    /** Tells the policy which experts a gather needs; they must be distinct. */
    void asked(int layer, int[] experts, int count) {
        policy.asked(layer, experts, count);
    }

    /** Makes a mapped slot the most recently used one and keeps it until the next step. */
    void touch(int slot) {
        order.remove(slot);
        order.addNewest(slot);
        disposable[slot] = false;
        touches.touch(slot);
    }

    /** Makes a mapped slot the next to give way. */
    void demote(int slot) {
        order.remove(slot);
        order.addOldest(slot);
        disposable[slot] = true;
    }

    /** Slots that can be reserved now. */
    int available() {
        return slots() - reserved - touches.pinned();
    }

    /** Mapped slots that can be evicted now. */
    int evictable() {
        return resident() - touches.pinned();
    }

    /** The mapped slots by their use. */
    UseOrder order() {
        return order;
    }

    /** When slots were touched. */
    SlotTouches touches() {
        return touches;
    }

    /** Whether a mapped slot was not touched in this step. */
    boolean evictable(int slot) {
        return !touches.isPinned(slot);
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
        order.addNewest(slot);
        touches.touch(slot);
        counters.mapped(key);
        watcher.leadsTo(key, slot);
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
                watcher.leadsTo(key, -1);
            }
        }
        map.clear();
        Arrays.fill(keys, FREE);
        resetLists();
    }

    private void resetLists() {
        order.clear();
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
        int newer = order.newer(from);
        touches.move(from, to);
        remove(from);
        keys[from] = FREE;
        keys[to] = key;
        disposable[to] = gone;
        map.put(key, to);
        watcher.leadsTo(key, to);
        order.addBehind(newer, to);
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
        int[] byUse = new int[old];
        int count = 0;
        for (int slot = order.oldest(); slot != old; slot = order.newer(slot)) {
            byUse[count++] = slot;
        }
        SlotMap mapped = new SlotMap(slots);
        int[] kept = Arrays.copyOf(keys, slots);
        if (slots > old) {
            Arrays.fill(kept, old, slots, FREE);
        }
        for (int i = 0; i < count; i++) {
            mapped.put(kept[byUse[i]], byUse[i]);
        }
        map = mapped;
        keys = kept;
        order = new UseOrder(slots);
        touches = touches.resized(slots);
        disposable = Arrays.copyOf(disposable, slots);
        freeSlots = new int[slots];
        resetLists();
        for (int i = 0; i < count; i++) {
            order.addNewest(byUse[i]);
        }
        policy.resized(slots);
    }

    private int evict() {
        int slot = order.oldest();
        if (!disposable[slot] || !evictable(slot)) {
            slot = policy.victim(this);
        }
        counters.evicted(keys[slot]);
        remove(slot);
        return slot;
    }

    private void remove(int slot) {
        order.remove(slot);
        map.remove(keys[slot]);
        watcher.leadsTo(keys[slot], -1);
        touches.unpin(slot);
    }

    private void free(int slot) {
        keys[slot] = FREE;
        freeSlots[freeCount++] = slot;
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

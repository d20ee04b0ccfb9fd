package dev.ringside.expert;

/**
 * Slots in the order of their use: a ring through two arrays with a head beyond the last slot, so that a change of order takes no memory. What a
 * slot holds, and whether it may go, is none of its business.
 */
final class UseOrder {

    private final int[] older;
    private final int[] newer;
    /** Stands between the oldest and the newest slot. */
    private final int head;

    /** An order of at most so many slots that has none yet. */
    UseOrder(int slots) {
        this.older = new int[slots + 1];
        this.newer = new int[slots + 1];
        this.head = slots;
        clear();
    }

    void clear() {
        older[head] = head;
        newer[head] = head;
    }

    /** The slot used least recently; the number of slots when there is none. */
    int oldest() {
        return newer[head];
    }

    /** The slot used most recently; the number of slots when there is none. */
    int newest() {
        return older[head];
    }

    /** The slot used next after this one; the number of slots behind the newest. */
    int newer(int slot) {
        return newer[slot];
    }

    /** The slot used last before this one; the number of slots behind the oldest. */
    int older(int slot) {
        return older[slot];
    }

    /** Takes in a slot as the newest. */
    void addNewest(int slot) {
        addBehind(head, slot);
    }

    /** Takes in a slot as the oldest. */
    void addOldest(int slot) {
        addBehind(newer[head], slot);
    }

    /** Takes in a slot as the one that was used last before another, or as the newest when that is the number of slots. */
    void addBehind(int other, int slot) {
        int behind = older[other];
        older[slot] = behind;
        newer[slot] = other;
        newer[behind] = slot;
        older[other] = slot;
    }

    void remove(int slot) {
        older[newer[slot]] = older[slot];
        newer[older[slot]] = newer[slot];
    }
}

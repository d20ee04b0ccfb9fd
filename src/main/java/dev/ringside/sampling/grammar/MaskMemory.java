package dev.ringside.sampling.grammar;

/** Keeps masks with the states they belong to, so many at most: the clock algorithm chooses which goes. */
final class MaskMemory {

    private final State[] holders;
    private int size;
    private int hand;

    MaskMemory(int capacity) {
        holders = new State[capacity];
    }

    void keep(State state, Mask mask) {
        if (size < holders.length) {
            holders[size++] = state;
        } else {
            while (holders[hand].recentlyUsed) {
                holders[hand].recentlyUsed = false;
                hand = (hand + 1) % holders.length;
            }
            holders[hand].mask = null;
            holders[hand] = state;
            hand = (hand + 1) % holders.length;
        }
        state.mask = mask;
    }

    /** Masks kept. */
    int size() {
        return size;
    }
}

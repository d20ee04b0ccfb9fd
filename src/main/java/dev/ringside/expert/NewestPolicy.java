package dev.ringside.expert;

/**
 * Evicts the most recently used slot that may go: the best there is for a scan that comes round again and does not fit. What has not been
 * used for several such rounds does not come round and goes first.
 */
final class NewestPolicy implements VictimPolicy {

    /** Uses of other experts, in caches full, after which an expert is not coming round any more. */
    private static final int ROUNDS = 3;

    private long uses;

    @Override
    public void asked(int layer, int[] experts, int count) {
        uses += count;
    }

    @Override
    public int victim(ExpertCache cache) {
        int oldest = cache.order().oldest();
        double usesEach = (double) uses / cache.touches().steps();
        if (cache.evictable(oldest) && cache.touches().age(oldest) * usesEach > (double) ROUNDS * cache.slots()) {
            return oldest;
        }
        int slot = cache.order().newest();
        while (!cache.evictable(slot)) {
            slot = cache.order().older(slot);
        }
        return slot;
    }

    @Override
    public String text() {
        return "mru";
    }
}

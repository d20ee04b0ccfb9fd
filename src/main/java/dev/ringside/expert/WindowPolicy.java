package dev.ringside.expert;

import java.util.SplittableRandom;

/** A random slot among the least recently used {@code percent} percent of all slots; with 0 the least recently used one. */
final class WindowPolicy implements VictimPolicy {

    private final int percent;
    private final SplittableRandom random;

    WindowPolicy(int percent, long seed) {
        this.percent = percent;
        this.random = new SplittableRandom(seed);
    }

    @Override
    public int victim(ExpertCache cache) {
        int window = (int) Math.max(1, (long) cache.slots() * percent / 100);
        int among = Math.min(window, cache.evictable());
        int skip = among == 1 ? 0 : random.nextInt(among);
        int slot = cache.order().oldest();
        while (!cache.evictable(slot) || skip-- > 0) {
            slot = cache.order().newer(slot);
        }
        return slot;
    }

    @Override
    public String text() {
        return percent == 0 ? "lru" : "window:" + percent;
    }
}

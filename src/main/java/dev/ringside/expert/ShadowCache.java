package dev.ringside.expert;

/** A cache without bytes run by one policy, to see how often it would have missed. */
final class ShadowCache {

    private final VictimPolicy policy;
    private final ExpertCache cache;
    private final int[] slot = new int[1];

    ShadowCache(VictimPolicy policy, int slots) {
        this.policy = policy;
        this.cache = new ExpertCache(slots, policy, ResidencyCounters.NONE);
    }

    VictimPolicy policy() {
        return policy;
    }

    /** Runs one gather and returns its misses; the policy was told of it before. */
    int gather(int layer, int[] experts, int count) {
        cache.beginStep();
        return gather(cache, layer, experts, count, slot);
    }

    /** Touches what is there and puts in what is missing. */
    static int gather(ExpertCache cache, int layer, int[] experts, int count, int[] slot) {
        int misses = 0;
        for (int i = 0; i < count; i++) {
            int found = cache.find(ExpertKey.of(layer, experts[i]));
            if (found >= 0) {
                cache.touch(found);
            }
        }
        for (int i = 0; i < count; i++) {
            int key = ExpertKey.of(layer, experts[i]);
            if (cache.find(key) < 0) {
                misses++;
                if (cache.available() == 0) {
                    // More than the shadow holds: the earlier ones of the gather may go again.
                    cache.beginStep();
                }
                cache.reserve(1, slot);
                cache.publish(slot[0], key);
            }
        }
        return misses;
    }
}

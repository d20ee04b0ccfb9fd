package dev.ringside.expert;

import java.util.SplittableRandom;

/**
 * Evicts the slot whose expert has the lowest score; among equals the least recently used one. Large caches are not searched whole: the
 * worst of {@value #SAMPLE} random slots is as a rule among the worst percent.
 */
final class ScoredPolicy implements VictimPolicy {

    /** What an expert is worth: the more the sooner it will probably be asked for. */
    interface Score {

        float of(int key);
    }

    private static final int SAMPLE = 128;
    private static final int SEARCHED_WHOLE = 512;

    private final String name;
    private final Score score;
    private final SplittableRandom random;

    ScoredPolicy(String name, Score score, long seed) {
        this.name = name;
        this.score = score;
        this.random = new SplittableRandom(seed);
    }

    @Override
    public int victim(ExpertCache cache) {
        return cache.slots() <= SEARCHED_WHOLE ? worst(cache) : worstOfSome(cache);
    }

    private int worst(ExpertCache cache) {
        int best = -1;
        float least = Float.POSITIVE_INFINITY;
        for (int slot = cache.order().oldest(); slot != cache.slots(); slot = cache.order().newer(slot)) {
            if (cache.evictable(slot)) {
                float worth = score.of(cache.key(slot));
                if (worth < least) {
                    least = worth;
                    best = slot;
                }
            }
        }
        return best;
    }

    private int worstOfSome(ExpertCache cache) {
        int best = -1;
        float least = Float.POSITIVE_INFINITY;
        int slot = random.nextInt(cache.slots());
        int seen = 0;
        // Which expert is in which slot is chance, so neighbouring slots are a fair sample.
        for (int i = 0; i < cache.slots() && seen < SAMPLE; i++) {
            slot = slot + 1 == cache.slots() ? 0 : slot + 1;
            if (cache.key(slot) >= 0 && cache.evictable(slot)) {
                seen++;
                float worth = score.of(cache.key(slot));
                if (worth < least) {
                    least = worth;
                    best = slot;
                }
            }
        }
        return best;
    }

    @Override
    public String text() {
        return name;
    }
}

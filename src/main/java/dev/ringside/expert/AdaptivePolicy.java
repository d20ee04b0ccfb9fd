package dev.ringside.expert;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Follows the policy that would have missed least lately, found out on shadow caches without bytes that see everything that is asked for:
 *
 * <ul>
 * <li>{@code next-use}: evicts what will probably be asked for last, going by how often it was asked for at three time scales (half-lives of
 * 1, 10 and 100 tokens) and by how far away its layer's turn is;
 * <li>{@code frequent}: evicts what is asked for least often in the long run, which scans and chance do not upset;
 * <li>{@code window:8}: recency;
 * <li>{@code mru}: evicts the newest, for a scan that comes round again and does not fit.
 * </ul>
 *
 * <p>Shadow caches of large arenas hold a sample of all experts, chosen by a hash, in proportionally fewer slots.
 */
final class AdaptivePolicy implements VictimPolicy {

    /** Most slots of a shadow cache. */
    private static final int SHADOW_SLOTS = 256;
    /** Gathers after which a shadow miss counts half. */
    private static final int MEMORY = 1000;
    private static final double DECAY = Math.pow(0.5, 1.0 / MEMORY);
    /** How much better another policy must have been before it is followed. */
    private static final double MARGIN = 0.97;

    private static final int[] HALF_LIVES = {1, 10, 100, 2000};
    private static final int SLOW = 3;
    /** What each half-life counts for the probable next use; found by trying on the demo model's routing. */
    private static final float[] SHARES = {0.2f, 0.5f, 0.3f};
    private static final float LEAST_RATE = 1e-6f;

    private final KeyHistory history;
    private final VictimPolicy[] policies;
    private final double[] missed;
    /** Victims that each policy chose; written by the engine thread alone. */
    private final AtomicLongArray chosen;
    private final int[] sample;
    private final int experts;
    private ShadowCache[] shadows = new ShadowCache[0];
    private int rate = 1;
    private volatile int followed;

    AdaptivePolicy(int slots, int[] expertCounts, long seed) {
        int most = 1;
        int total = 0;
        for (int count : expertCounts) {
            most = Math.max(most, count);
            total += count;
        }
        this.experts = total;
        this.sample = new int[most];
        this.history = new KeyHistory(expertCounts, HALF_LIVES);
        this.policies = new VictimPolicy[] {new ScoredPolicy("next-use", this::soonness, seed),
            new ScoredPolicy("frequent", key -> history.frequency(SLOW, key), seed), new WindowPolicy(ExpertEviction.DEFAULT_WINDOW, seed),
            new NewestPolicy()};
        this.missed = new double[policies.length];
        this.chosen = new AtomicLongArray(policies.length);
        resized(slots);
    }

    @Override
    public void resized(int slots) {
        rate = Math.ceilDiv(slots, SHADOW_SLOTS);
        // Where everything fits nothing is ever evicted, and there is nothing to find out.
        shadows = new ShadowCache[slots >= experts ? 0 : policies.length];
        for (int i = 0; i < shadows.length; i++) {
            shadows[i] = new ShadowCache(policies[i], Math.max(1, slots / rate));
        }
    }

    /** Reciprocal of the gathers until an expert is probably asked for again. */
    private float soonness(int key) {
        float chance = LEAST_RATE;
        for (int scale = 0; scale < SHARES.length; scale++) {
            chance += SHARES[scale] * history.rate(scale, key);
        }
        return 1 / (history.distance(key) + history.layers() * (1 / chance - 1));
    }

    @Override
    public void asked(int layer, int[] asked, int count) {
        if (shadows.length == 0) {
            return;
        }
        history.record(layer, asked, count);
        int sampled = rate == 1 ? count : sample(layer, asked, count);
        int best = followed;
        for (int i = 0; i < shadows.length; i++) {
            policies[i].asked(layer, rate == 1 ? asked : sample, sampled);
            int misses = shadows[i].gather(layer, rate == 1 ? asked : sample, sampled);
            missed[i] = missed[i] * DECAY + misses;
            if (missed[i] < missed[best]) {
                best = i;
            }
        }
        if (best != followed && missed[best] < MARGIN * missed[followed]) {
            followed = best;
        }
    }

    private int sample(int layer, int[] asked, int count) {
        int sampled = 0;
        for (int i = 0; i < count; i++) {
            int mixed = ExpertKey.of(layer, asked[i]) * 0x9E3779B9;
            if ((mixed >>> 8) % rate == 0) {
                sample[sampled++] = asked[i];
            }
        }
        return sampled;
    }

    @Override
    public int victim(ExpertCache cache) {
        int policy = followed;
        chosen.setOpaque(policy, chosen.getOpaque(policy) + 1);
        return policies[policy].victim(cache);
    }

    @Override
    public Map<String, Long> choices() {
        Map<String, Long> each = new LinkedHashMap<>();
        for (int i = 0; i < policies.length; i++) {
            each.put(policies[i].text(), chosen.getOpaque(i));
        }
        return each;
    }

    @Override
    public String text() {
        return "adaptive (" + policies[followed].text() + ")";
    }
}

package dev.ringside.expert;

/** Makes the policies that configuration names. */
final class VictimPolicies {

    /** Tokens after which a use counts half for {@code lfru}. */
    static final int HALF_LIFE = 20;

    private VictimPolicies() {}

    /** @param expertCounts experts of each layer by number; 0 for a layer without */
    static VictimPolicy of(ExpertEviction eviction, int slots, int[] expertCounts, long seed) {
        return switch (eviction) {
            case ExpertEviction.Window window -> new WindowPolicy(window.percent(), seed);
            case ExpertEviction.Frequency frequency -> frequency(new KeyHistory(expertCounts, HALF_LIFE), seed);
            case ExpertEviction.Adaptive adaptive -> new AdaptivePolicy(slots, expertCounts, seed);
        };
    }

    private static VictimPolicy frequency(KeyHistory history, long seed) {
        VictimPolicy scored = new ScoredPolicy("lfru", key -> history.frequency(0, key), seed);
        return new VictimPolicy() {

            @Override
            public void asked(int layer, int[] experts, int count) {
                history.record(layer, experts, count);
            }

            @Override
            public int victim(ExpertCache cache) {
                return scored.victim(cache);
            }

            @Override
            public String text() {
                return scored.text();
            }
        };
    }
}

package dev.ringside.expert;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntConsumer;

/** Runs eviction policies over a trace on a cache without bytes: the very cache and policies that serve, and Belady's as the bound. */
public final class ReplaySimulator {

    /** The policy that knows the future: evicts what is asked for again last. Online policies cannot do better. */
    public static final String BELADY = "belady";

    private static final long SEED = 1;
    private static final int REPORT_GATHERS = 1024;

    private ReplaySimulator() {}

    /** Every policy on every number of slots, in the order given, slots first. */
    public static List<ReplayResult> run(RoutingTrace trace, List<Integer> slots, List<String> policies) {
        return run(trace, slots, policies, _ -> {
            // Nobody watches.
        });
    }

    /**
     * As above, watched.
     *
     * @param progress told every so often how many more gathers are done; each size with each policy takes as many as the trace has
     */
    public static List<ReplayResult> run(RoutingTrace trace, List<Integer> slots, List<String> policies, IntConsumer progress) {
        List<ReplayResult> results = new ArrayList<>();
        for (int count : slots) {
            for (String policy : policies) {
                results.add(run(trace, count, policy, progress));
            }
        }
        return results;
    }

    /**
     * One policy.
     *
     * @param policy {@code belady} or what {@link ExpertEviction#parse} reads
     * @throws IllegalArgumentException for an unknown policy, or fewer slots than the largest gather needs
     */
    public static ReplayResult run(RoutingTrace trace, int slots, String policy) {
        return run(trace, slots, policy, _ -> {
            // Nobody watches.
        });
    }

    private static ReplayResult run(RoutingTrace trace, int slots, String policy, IntConsumer progress) {
        int needed = trace.largestGather();
        if (slots < needed) {
            throw new IllegalArgumentException("--slots: found " + slots + ", but the trace has a gather of " + needed + " experts");
        }
        String name = policy.strip().toLowerCase(Locale.ROOT);
        VictimPolicy chosen = name.equals(BELADY)
                ? new Belady(trace)
                : VictimPolicies.of(ExpertEviction.parse(name), slots, trace.expertCounts(), SEED);
        return run(trace, slots, name, chosen, progress);
    }

    private static ReplayResult run(RoutingTrace trace, int slots, String name, VictimPolicy policy, IntConsumer progress) {
        ExpertCache cache = new ExpertCache(slots, policy, ResidencyCounters.NONE);
        int[] experts = new int[trace.largestGather()];
        int[] slot = new int[1];
        long asked = 0;
        long misses = 0;
        int unreported = 0;
        for (RoutingTrace.Gather gather : trace.gathers()) {
            int count = gather.experts().size();
            for (int i = 0; i < count; i++) {
                experts[i] = gather.experts().get(i);
            }
            asked += count;
            cache.beginStep();
            cache.asked(gather.layer(), experts, count);
            misses += ShadowCache.gather(cache, gather.layer(), experts, count, slot);
            if (++unreported == REPORT_GATHERS) {
                progress.accept(unreported);
                unreported = 0;
            }
        }
        progress.accept(unreported);
        return new ReplayResult(name, slots, trace.steps(), asked, misses);
    }

    private static final class Belady implements VictimPolicy {

        private final Map<Integer, int[]> uses = new HashMap<>();
        private final Map<Integer, Integer> cursor = new HashMap<>();
        private int now = -1;

        Belady(RoutingTrace trace) {
            Map<Integer, List<Integer>> times = new HashMap<>();
            for (int i = 0; i < trace.gathers().size(); i++) {
                RoutingTrace.Gather gather = trace.gathers().get(i);
                for (int expert : gather.experts()) {
                    times.computeIfAbsent(ExpertKey.of(gather.layer(), expert), key -> new ArrayList<>()).add(i);
                }
            }
            times.forEach((key, list) -> uses.put(key, list.stream().mapToInt(Integer::intValue).toArray()));
        }

        @Override
        public void asked(int layer, int[] experts, int count) {
            now++;
        }

        private int nextUse(int key) {
            int[] all = uses.get(key);
            int at = cursor.getOrDefault(key, 0);
            while (all != null && at < all.length && all[at] <= now) {
                at++;
            }
            cursor.put(key, at);
            return all == null || at == all.length ? Integer.MAX_VALUE : all[at];
        }

        @Override
        public int victim(ExpertCache cache) {
            int best = -1;
            int farthest = -1;
            for (int slot = cache.order().oldest(); slot != cache.slots(); slot = cache.order().newer(slot)) {
                if (cache.evictable(slot) && nextUse(cache.key(slot)) > farthest) {
                    farthest = nextUse(cache.key(slot));
                    best = slot;
                }
            }
            return best;
        }

        @Override
        public String text() {
            return BELADY;
        }
    }
}

package dev.ringside.expert;

import dev.ringside.expert.RoutingTrace.Gather;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/** Traces with properties that eviction policies are known to differ on. */
final class Traces {

    private static final int EACH = 4;

    private Traces() {}

    /** 2,048 tokens of the built-in model. */
    static RoutingTrace demo() {
        try {
            return RoutingTrace.read(Path.of("src/test/resources/demo/routing-trace.txt.gz"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Over and over the same experts, 5 % more than fit. */
    static RoutingTrace cycle(int slots) {
        int keys = slots + Math.max(1, slots / 20);
        List<Gather> gathers = new ArrayList<>();
        int next = 0;
        for (int i = 0; i < 8_000; i++) {
            List<Integer> experts = new ArrayList<>();
            for (int j = 0; j < EACH; j++) {
                experts.add(next++ % keys);
            }
            gathers.add(new Gather(0, experts));
        }
        return new RoutingTrace(gathers);
    }

    /** Independent choices of which a few experts get most: 512 experts, the r-th of them with weight 1/r. */
    static RoutingTrace zipf(long seed) {
        Random random = new Random(seed);
        double[] cumulative = new double[512];
        double sum = 0;
        for (int i = 0; i < cumulative.length; i++) {
            sum += 1.0 / (i + 1);
            cumulative[i] = sum;
        }
        int[] rank = random.ints(0, Integer.MAX_VALUE).distinct().limit(512).toArray();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 512; i++) {
            order.add(i);
        }
        order.sort((a, b) -> Integer.compare(rank[a], rank[b]));
        List<Gather> gathers = new ArrayList<>();
        for (int i = 0; i < 8_000; i++) {
            TreeSet<Integer> experts = new TreeSet<>();
            while (experts.size() < EACH) {
                double at = random.nextDouble() * sum;
                int found = Arrays.binarySearch(cumulative, at);
                experts.add(order.get(Math.min(511, found < 0 ? -found - 1 : found)));
            }
            gathers.add(new Gather(0, List.copyOf(experts)));
        }
        return new RoutingTrace(gathers);
    }

    /** A set of three quarters of the slots that is used all the time, and a scan over many others in between. */
    static RoutingTrace scanAndHotSet(int slots, long seed) {
        Random random = new Random(seed);
        int hot = slots * 3 / 4;
        int others = 4_000;
        int scan = 0;
        List<Gather> gathers = new ArrayList<>();
        for (int i = 0; i < 8_000; i++) {
            TreeSet<Integer> experts = new TreeSet<>();
            while (experts.size() < EACH / 2) {
                experts.add(random.nextInt(hot));
            }
            while (experts.size() < EACH) {
                experts.add(hot + scan++ % others);
            }
            gathers.add(new Gather(0, List.copyOf(experts)));
        }
        return new RoutingTrace(gathers);
    }
}

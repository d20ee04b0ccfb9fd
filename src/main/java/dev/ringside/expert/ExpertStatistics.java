package dev.ringside.expert;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Counters of the expert tier per layer. Written by the engine thread alone, read by anyone without locking: each number is exact at some
 * recent moment, numbers of one snapshot may be a step apart.
 */
final class ExpertStatistics implements ResidencyCounters {

    private static final VarHandle COUNTER = MethodHandles.arrayElementVarHandle(long[].class);

    private static final int RESIDENT = 0;
    private static final int HITS = 1;
    private static final int MISSES = 2;
    private static final int EVICTIONS = 3;
    private static final int BYTES_READ = 4;
    private static final int WAITS = 5;
    private static final int WAIT_NANOS = 6;
    private static final int READ_FAILURES = 7;
    private static final int PREFETCH_ISSUED = 8;
    private static final int PREFETCH_USED = 9;
    private static final int PREFETCH_UNUSED = 10;
    private static final int COUNTERS = 11;

    private final List<Integer> layers;
    private final int[] expertCounts;
    private final long[] counters;
    private final ExpertActivity activity;

    ExpertStatistics(ExpertSource source) {
        this.layers = source.layout().layers();
        this.expertCounts = layers.stream().mapToInt(source::expertCount).toArray();
        this.counters = new long[(layers.getLast() + 1) * COUNTERS];
        this.activity = new ExpertActivity(layers, expertCounts);
    }

    @Override
    public void mapped(int key) {
        add(ExpertKey.layer(key), RESIDENT, 1);
        activity.mapped(key);
    }

    @Override
    public void unmapped(int key) {
        add(ExpertKey.layer(key), RESIDENT, -1);
        activity.unmapped(key);
    }

    @Override
    public void evicted(int key) {
        unmapped(key);
        add(ExpertKey.layer(key), EVICTIONS, 1);
    }

    /** A layer was routed to these experts, each named once. */
    void asked(int layer, int[] experts, int count) {
        activity.used(layer, experts, count);
    }

    /** What became of each expert, from any thread. */
    ExpertMap map() {
        return activity.map();
    }

    void hits(int layer, int count) {
        add(layer, HITS, count);
    }

    /** An expert is being read that nobody asked for yet. */
    void prefetchIssued(int layer) {
        add(layer, PREFETCH_ISSUED, 1);
    }

    /** It was asked for. */
    void prefetchUsed(int layer) {
        add(layer, PREFETCH_USED, 1);
    }

    /** It was not, when its time had come. */
    void prefetchUnused(int layer) {
        add(layer, PREFETCH_UNUSED, 1);
    }

    /** Bytes were read that count as no miss. */
    void read(int layer, long bytes) {
        add(layer, BYTES_READ, bytes);
    }

    /** Evictions so far, of all layers. */
    long evictions() {
        return total(EVICTIONS);
    }

    /** Nanoseconds waited so far, of all layers. */
    long waitNanos() {
        return total(WAIT_NANOS);
    }

    /** Predictions that came true so far, of all layers. */
    long prefetchUsed() {
        return total(PREFETCH_USED);
    }

    private long total(int counter) {
        long total = 0;
        for (int layer : layers) {
            total += get(layer, counter);
        }
        return total;
    }

    /** An expert that was not in a slot was put there; {@code bytes} of it were read. */
    void missed(int layer, long bytes) {
        add(layer, MISSES, 1);
        add(layer, BYTES_READ, bytes);
    }

    void readFailed(int layer) {
        add(layer, READ_FAILURES, 1);
    }

    /** The calling thread waited for readers or copies. */
    void waited(int layer, long nanos) {
        add(layer, WAITS, 1);
        add(layer, WAIT_NANOS, nanos);
    }

    private void add(int layer, int counter, long amount) {
        int index = layer * COUNTERS + counter;
        COUNTER.setOpaque(counters, index, (long) COUNTER.getOpaque(counters, index) + amount);
    }

    private long get(int layer, int counter) {
        return (long) COUNTER.getOpaque(counters, layer * COUNTERS + counter);
    }

    List<ExpertSnapshot.Layer> layers() {
        List<ExpertSnapshot.Layer> each = new ArrayList<>(layers.size());
        for (int i = 0; i < expertCounts.length; i++) {
            each.add(layer(layers.get(i), expertCounts[i]));
        }
        return each;
    }

    private ExpertSnapshot.Layer layer(int layer, int experts) {
        return new ExpertSnapshot.Layer(layer, experts, (int) get(layer, RESIDENT), get(layer, HITS), get(layer, MISSES),
                get(layer, EVICTIONS),
                get(layer, BYTES_READ), get(layer, WAITS), get(layer, WAIT_NANOS), get(layer, READ_FAILURES), get(layer, PREFETCH_ISSUED),
                get(layer, PREFETCH_USED), get(layer, PREFETCH_UNUSED));
    }
}

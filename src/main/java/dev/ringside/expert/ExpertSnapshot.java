package dev.ringside.expert;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * The expert tier at one moment.
 *
 * @param arena {@code device} or {@code pinned}
 * @param slots experts that fit in the arena
 * @param slotBytes bytes of one slot
 * @param experts experts of the model
 * @param resident experts in slots now
 * @param hits experts that were asked for and in a slot
 * @param misses experts that had to be read, counted when whole
 * @param evictions experts that gave way to others
 * @param bytesRead bytes of whole reads
 * @param waits times the engine waited for readers or copies
 * @param waitNanos nanoseconds of those waits
 * @param readFailures reads that failed
 * @param prefetchIssued experts read before anybody asked for them
 * @param prefetchUsed those that were asked for then
 * @param prefetchUnused those that were not when their layer was computed
 * @param layers the same per layer, in ascending order
 * @param tier what lies around the arena
 */
public record ExpertSnapshot(String arena, int slots, long slotBytes, int experts, int resident, long hits, long misses, long evictions,
        long bytesRead, long waits, long waitNanos, long readFailures, long prefetchIssued, long prefetchUsed, long prefetchUnused,
        List<Layer> layers, Tier tier) {

    /** Of a model without experts. */
    public static final ExpertSnapshot NONE = new ExpertSnapshot("none", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, List.of());

    public ExpertSnapshot {
        layers = List.copyOf(layers);
    }

    /** Without look-ahead, host tier and files. */
    public ExpertSnapshot(String arena, int slots, long slotBytes, int experts, int resident, long hits, long misses, long evictions,
            long bytesRead, long waits, long waitNanos, long readFailures, List<Layer> layers) {
        this(arena, slots, slotBytes, experts, resident, hits, misses, evictions, bytesRead, waits, waitNanos, readFailures, 0, 0, 0,
                layers,
                Tier.NONE);
    }

    /**
     * What lies around the arena.
     *
     * @param eviction policy in force; {@code adaptive (...)} with the one it follows
     * @param evictionsBy evictions that each policy chose which an adaptive one follows at times; empty for other policies
     * @param host the host tier
     * @param staged experts in the staging ring that are not copied yet
     * @param stagingSlots experts that the half in use holds
     * @param urgentDepth parts of reads that somebody waits for and no reader has begun
     * @param backgroundDepth parts of reads that nobody waits for and no reader has begun
     * @param shards the files of the model
     */
    public record Tier(String eviction, Map<String, Long> evictionsBy, HostTierSnapshot host, int staged, int stagingSlots,
            int urgentDepth, int backgroundDepth, List<ShardSnapshot> shards) {

        /** Of nothing. */
        public static final Tier NONE = new Tier("none", HostTierSnapshot.NONE, 0, 0, 0, 0, List.of());

        public Tier {
            shards = List.copyOf(shards);
            evictionsBy = Collections.unmodifiableMap(new LinkedHashMap<>(evictionsBy));
        }

        /** Of a policy that follows no other. */
        public Tier(String eviction, HostTierSnapshot host, int staged, int stagingSlots, int urgentDepth, int backgroundDepth,
                List<ShardSnapshot> shards) {
            this(eviction, Map.of(), host, staged, stagingSlots, urgentDepth, backgroundDepth, shards);
        }

        /** Reads that were tried again, of all files. */
        public long retries() {
            return total(ShardSnapshot::retries);
        }

        /** A counter of all files together. */
        public long total(ToLongFunction<ShardSnapshot> counter) {
            return shards.stream().mapToLong(counter).sum();
        }
    }

    /** Counters of one layer, with the meaning they have in the snapshot. */
    public record Layer(int layer, int experts, int resident, long hits, long misses, long evictions, long bytesRead, long waits,
            long waitNanos, long readFailures, long prefetchIssued, long prefetchUsed, long prefetchUnused) {

        /** Without look-ahead. */
        public Layer(int layer, int experts, int resident, long hits, long misses, long evictions, long bytesRead, long waits,
                long waitNanos,
                long readFailures) {
            this(layer, experts, resident, hits, misses, evictions, bytesRead, waits, waitNanos, readFailures, 0, 0, 0);
        }
    }

    static ExpertSnapshot of(ArenaKind arena, int slots, long slotBytes, List<Layer> layers, Tier tier) {
        return new ExpertSnapshot(arena.text(), slots, slotBytes, layers.stream().mapToInt(Layer::experts).sum(),
                layers.stream().mapToInt(Layer::resident).sum(), sum(layers, Layer::hits), sum(layers, Layer::misses),
                sum(layers, Layer::evictions), sum(layers, Layer::bytesRead), sum(layers, Layer::waits), sum(layers, Layer::waitNanos),
                sum(layers, Layer::readFailures), sum(layers, Layer::prefetchIssued), sum(layers, Layer::prefetchUsed),
                sum(layers, Layer::prefetchUnused), layers, tier);
    }

    private static long sum(List<Layer> layers, ToLongFunction<Layer> counter) {
        return layers.stream().mapToLong(counter).sum();
    }
}

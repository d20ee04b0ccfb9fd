package dev.ringside.expert;

import org.jspecify.annotations.Nullable;

/** What one gather found: residents, which stay until the next step, and missing experts. Arrays are reused from gather to gather. */
final class GatherPlan {

    final int[] distinct;
    final int[] missing;
    final int[] residentExperts;
    final int[] residentSlots;
    final long[] residentAddresses;
    int distinctCount;
    int misses;
    int residents;

    private final ExpertSource source;
    private final ExpertArena arena;
    private final ExpertCache cache;
    /** Number of the gather that named an expert last. */
    private final long[] named;
    private long gathers;
    private int share;
    private int admitted;

    GatherPlan(ExpertSource source, ExpertArena arena, ExpertCache cache) {
        this.source = source;
        this.arena = arena;
        this.cache = cache;
        int most = source.layout().layers().stream().mapToInt(source::expertCount).max().orElseThrow();
        this.distinct = new int[most];
        this.missing = new int[most];
        this.residentExperts = new int[most];
        this.residentSlots = new int[most];
        this.residentAddresses = new long[most];
        this.named = new long[most];
        resized();
    }

    /** The arena has another number of slots now. */
    void resized() {
        share = Math.max(arena.batchLimit(), Math.ceilDiv(arena.slots(), source.layout().layers().size()));
    }

    /**
     * Looks the experts up and touches those that are resident.
     *
     * @return number of missing experts
     */
    int split(int layer, int[] experts, int count, @Nullable Speculation speculation) {
        int known = source.expertCount(layer);
        for (int i = 0; i < count; i++) {
            if (experts[i] < 0 || experts[i] >= known) {
                throw new IllegalArgumentException("Layer " + layer + " has " + known + " experts, asked for number " + experts[i]);
            }
        }
        misses = 0;
        residents = 0;
        distinctCount = 0;
        admitted = 0;
        gathers++;
        for (int i = 0; i < count; i++) {
            int expert = experts[i];
            if (named[expert] == gathers) {
                continue;
            }
            named[expert] = gathers;
            distinct[distinctCount++] = expert;
            int slot = cache.find(ExpertKey.of(layer, expert));
            if (slot < 0) {
                missing[misses++] = expert;
                continue;
            }
            cache.touch(slot);
            if (speculation != null) {
                speculation.touched(slot);
            }
            residentExperts[residents] = expert;
            residentSlots[residents] = slot;
            residentAddresses[residents++] = arena.address(slot);
        }
        return misses;
    }

    /**
     * Whether the next missing expert is to stay: of a gather that brings in more than its layer's share of the arena, as a long prompt does,
     * the rest gives way first, so that it does not flush the other layers.
     */
    boolean admit() {
        return admitted++ < share;
    }
}

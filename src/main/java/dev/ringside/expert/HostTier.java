package dev.ringside.expert;

import dev.ringside.gpu.GpuBackend;
import java.util.concurrent.atomic.LongAdder;

/** Experts in page-locked host memory between the files and a device arena. A miss of the arena that is found here needs no read. */
final class HostTier implements AutoCloseable {

    private final PinnedArena memory;
    private final ExpertCache cache;
    private final Counters counters = new Counters();
    private final LongAdder hits = new LongAdder();

    HostTier(GpuBackend backend, ExpertSource source, int slots, long seed) {
        this.memory = new PinnedArena(backend, source, slots, 2, "expert host tier");
        this.cache = new ExpertCache(slots, new WindowPolicy(ExpertEviction.DEFAULT_WINDOW, seed), counters);
    }

    /** Fewest slots that never leave a lane without one: both lanes' batches in flight and as many that are still being copied. */
    static int minimumSlots(int limit) {
        return 4 * limit;
    }

    PinnedArena memory() {
        return memory;
    }

    ExpertCache cache() {
        return cache;
    }

    void hit() {
        hits.increment();
    }

    HostTierSnapshot snapshot() {
        return new HostTierSnapshot(memory.slots(), counters.resident.intValue(), hits.sum(), counters.evictions.sum());
    }

    @Override
    public void close() {
        memory.close();
    }

    private static final class Counters implements ResidencyCounters {

        private final LongAdder resident = new LongAdder();
        private final LongAdder evictions = new LongAdder();

        @Override
        public void mapped(int key) {
            resident.increment();
        }

        @Override
        public void unmapped(int key) {
            resident.decrement();
        }

        @Override
        public void evicted(int key) {
            resident.decrement();
            evictions.increment();
        }
    }
}

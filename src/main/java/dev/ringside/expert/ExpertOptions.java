package dev.ringside.expert;

/**
 * Settings of the expert tier.
 *
 * @param arena kind of arena
 * @param capacity its size
 * @param expertsPerToken experts a token is routed to in one layer
 * @param memoryBudget bytes a capacity of {@code auto} may use
 * @param stagingSlots experts staged at once, in two halves: an even number of at least 2, or 0 for twice the experts per token
 * @param readerThreads threads that read experts, the calling one included; 0 and 1 read in the calling thread alone
 * @param eviction which slot gives way
 * @param seed of the eviction's choices
 * @param tuning what is read how, and what is recorded
 */
public record ExpertOptions(ArenaKind arena, ExpertCapacity capacity, int expertsPerToken, long memoryBudget, int stagingSlots,
        int readerThreads, ExpertEviction eviction, long seed, ExpertTuning tuning) {

    private static final int MAX_READER_THREADS = 256;

    /** With {@link ExpertTuning#DEFAULT}. */
    public ExpertOptions(ArenaKind arena, ExpertCapacity capacity, int expertsPerToken, long memoryBudget, int stagingSlots,
            int readerThreads,
            ExpertEviction eviction, long seed) {
        this(arena, capacity, expertsPerToken, memoryBudget, stagingSlots, readerThreads, eviction, seed, ExpertTuning.DEFAULT);
    }

    public ExpertOptions {
        if (expertsPerToken < 1) {
            throw new IllegalArgumentException("A token is routed to at least one expert, found " + expertsPerToken);
        }
        if (stagingSlots < 0 || stagingSlots % 2 != 0) {
            throw new IllegalArgumentException("ringside.experts.staging-slots: found " + stagingSlots
                    + ", expected an even number of at least 2, or 0 to choose by itself");
        }
        if (readerThreads < 0 || readerThreads > MAX_READER_THREADS) {
            throw new IllegalArgumentException(
                    "ringside.experts.reader-threads: found " + readerThreads + ", expected 0 to " + MAX_READER_THREADS);
        }
    }

    /** An arena of the kind that suits the device, with all experts where they fit in {@code memoryBudget} bytes. */
    public static ExpertOptions defaults(int expertsPerToken, long memoryBudget) {
        return new ExpertOptions(ArenaKind.AUTO, new ExpertCapacity.Auto(), expertsPerToken, memoryBudget, 0, 2, ExpertEviction.DEFAULT, 1);
    }

    public ExpertOptions withArena(ArenaKind kind) {
        return new ExpertOptions(kind, capacity, expertsPerToken, memoryBudget, stagingSlots, readerThreads, eviction, seed, tuning);
    }

    public ExpertOptions withCapacity(ExpertCapacity size) {
        return new ExpertOptions(arena, size, expertsPerToken, memoryBudget, stagingSlots, readerThreads, eviction, seed, tuning);
    }

    public ExpertOptions withExpertsPerToken(int experts) {
        return new ExpertOptions(arena, capacity, experts, memoryBudget, stagingSlots, readerThreads, eviction, seed, tuning);
    }

    public ExpertOptions withMemoryBudget(long bytes) {
        return new ExpertOptions(arena, capacity, expertsPerToken, bytes, stagingSlots, readerThreads, eviction, seed, tuning);
    }

    public ExpertOptions withStagingSlots(int slots) {
        return new ExpertOptions(arena, capacity, expertsPerToken, memoryBudget, slots, readerThreads, eviction, seed, tuning);
    }

    public ExpertOptions withReaderThreads(int threads) {
        return new ExpertOptions(arena, capacity, expertsPerToken, memoryBudget, stagingSlots, threads, eviction, seed, tuning);
    }

    public ExpertOptions withEviction(ExpertEviction policy, long choicesSeed) {
        return new ExpertOptions(arena, capacity, expertsPerToken, memoryBudget, stagingSlots, readerThreads, policy, choicesSeed, tuning);
    }

    public ExpertOptions withTuning(ExpertTuning settings) {
        return new ExpertOptions(arena, capacity, expertsPerToken, memoryBudget, stagingSlots, readerThreads, eviction, seed, settings);
    }

    /** Slots of the host tier that goes with lanes of so many experts. */
    int tierSlots(ExpertSource source, int laneLimit) {
        return tuning.hostTier().slots(source.layout().slotBytes(), source.totalExperts(), HostTier.minimumSlots(laneLimit));
    }

    int stagingSlotsOrDefault() {
        return stagingSlots == 0 ? 2 * expertsPerToken : stagingSlots;
    }
}

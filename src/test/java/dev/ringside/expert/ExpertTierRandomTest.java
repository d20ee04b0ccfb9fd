package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.DeferredBackend;
import dev.ringside.gpu.DeferredBackend.Pace;
import dev.ringside.gpu.DeviceException;
import dev.ringside.gpu.GpuStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Long random histories of gathers, faults included, on a device that works as late as it may; and bugs planted to show that they would be seen. */
class ExpertTierRandomTest {

    private static final Set<String> DEVICE_CALLS = Set.of("copyToDevice", "copy", "record", "await", "synchronize", "allocateArena",
            "allocatePinned");

    static long[] seeds() {
        return Seeds.of(40).toArray();
    }

    private static FetcherRig rig(Random random, long seed, ArenaKind kind) {
        PatternSource source = new PatternSource(12, 0, 24, 7);
        if (random.nextBoolean()) {
            source.stagingApart();
        }
        int slots = 6 + random.nextInt(20);
        int perToken = 1 + random.nextInt(3);
        HostTierSize tier = random.nextBoolean() ? HostTierSize.NONE : HostTierSize.parse(50 + random.nextInt(51) + "%");
        ExpertOptions options = FetcherRig.options(kind, source, slots, perToken)
                .withReaderThreads(random.nextInt(5))
                .withStagingSlots(2 * random.nextInt(5))
                .withEviction(eviction(random), seed)
                .withTuning(ExpertTuning.DEFAULT.withHostTier(tier).withLookahead(random.nextInt(3) > 0));
        return new FetcherRig(source, new DeferredBackend(seed, random.nextBoolean() ? Pace.LAZY : Pace.RANDOM, true), options);
    }

    private static ExpertEviction eviction(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> ExpertEviction.LRU;
            case 1 -> new ExpertEviction.Frequency();
            case 2 -> new ExpertEviction.Adaptive();
            default -> new ExpertEviction.Window(random.nextInt(101));
        };
    }

    /** Something that an engine does between two gathers. */
    private static void between(Random random, FetcherRig rig, List<CompletableFuture<Integer>> requests) {
        switch (random.nextInt(12)) {
            case 0 -> requests.add(rig.fetcher.resize(1 + random.nextInt(50)));
            case 1 -> requests.add(rig.fetcher.trim());
            case 2, 3, 4, 5, 6 -> {
                int layer = new int[] {0, 2, 3}[random.nextInt(3)];
                int[] experts = someExperts(random, rig.source.expertCount(layer));
                rig.fetcher.prefetch(layer, experts, experts.length);
            }
            default -> {
                // Mostly nothing.
            }
        }
    }

    /** A random subset of a layer's experts in random order. */
    private static int[] someExperts(Random random, int of) {
        int[] all = new int[of];
        for (int i = 0; i < of; i++) {
            int j = random.nextInt(i + 1);
            all[i] = all[j];
            all[j] = i;
        }
        return Arrays.copyOf(all, random.nextInt(of + 1));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyKernelReadsTheBytesOfItsExpert(long seed) {
        Random random = new Random(seed);
        ArenaKind kind = seed % 2 == 0 ? ArenaKind.DEVICE : ArenaKind.PINNED;
        try (FetcherRig rig = rig(random, seed, kind)) {
            long asked = 0;
            List<CompletableFuture<Integer>> requests = new ArrayList<>();
            int[] layers = {0, 2, 3};
            for (int step = 0; step < 60; step++) {
                int layer = layers[random.nextInt(3)];
                int[] experts = someExperts(random, rig.source.expertCount(layer));
                rig.gather(layer, experts);
                between(random, rig, requests);
                asked += experts.length;
                assertThat(new TreeSet<>(rig.delivered())).as("seed %d", seed).hasSize(experts.length);
                assertThat(rig.delivered()).as("seed %d", seed).hasSize(experts.length);
                if (random.nextInt(5) == 0) {
                    assertThat(rig.poisonedSlots()).as("seed %d", seed).isEmpty();
                }
            }
            assertThat(rig.poisonedSlots()).as("seed %d", seed).isEmpty();
            assertThat(rig.backend.violations()).as("seed %d", seed).isEmpty();
            rig.fetcher.applyRequests();
            assertThat(requests).as("seed %d", seed).allMatch(each -> each.isDone() && !each.isCompletedExceptionally());
            ExpertSnapshot counters = rig.fetcher.snapshot();
            assertThat(counters.hits() + counters.misses()).as("seed %d", seed).isEqualTo(asked);
            assertThat(counters.resident()).as("seed %d", seed).isLessThanOrEqualTo(counters.slots());
            if (!rig.options.tuning().lookahead()) {
                assertThat(counters.misses() - counters.evictions()).as("seed %d", seed).isEqualTo(counters.resident());
                assertThat(counters.misses() - counters.tier().host().hits()).as("seed %d", seed).isEqualTo(rig.source.reads());
            }
            rig.fetcher.resize(1000);
            rig.gather(0);
            assertThat(rig.fetcher.snapshot().slots()).as("seed %d", seed).isEqualTo(43);
            assertThat(rig.fetcher.snapshot().resident()).as("seed %d", seed).isGreaterThanOrEqualTo(counters.resident());
            assertThat(rig.poisonedSlots()).as("seed %d", seed).isEmpty();
            assertThat(counters.prefetchUsed() + counters.prefetchUnused()).as("seed %d", seed)
                    .isLessThanOrEqualTo(counters.prefetchIssued());
            rig.fetcher.close();
            assertThat(rig.backend.memory().arenaBytes() + rig.backend.memory().pinnedBytes()).as("seed %d", seed).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noFaultLeavesAKeyOnBytesThatAreNotItsOwn(long seed) {
        Random random = new Random(seed);
        ArenaKind kind = seed % 2 == 0 ? ArenaKind.DEVICE : ArenaKind.PINNED;
        int failures = 0;
        try (FetcherRig rig = rig(random, seed, kind)) {
            int[] layers = {0, 2, 3};
            Random faults = new Random(~seed);
            for (int step = 0; step < 80; step++) {
                int rate = random.nextInt(3) == 0 ? 8 : 60;
                int readRate = random.nextInt(3) == 0 ? 6 : 80;
                rig.source.failWhen(key -> ((key * 0x9E3779B9L + seed) >>> 3) % readRate == 0);
                rig.backend.failWhen(call -> DEVICE_CALLS.contains(call) && faults.nextInt(rate) == 0);
                int layer = layers[random.nextInt(3)];
                int[] experts = someExperts(random, rig.source.expertCount(layer));
                try {
                    rig.gather(layer, experts);
                    assertThat(rig.delivered()).as("seed %d", seed).hasSize(experts.length);
                    between(random, rig, new ArrayList<>());
                } catch (ExpertReadException | DeviceException e) {
                    failures++;
                }
                if (random.nextInt(3) == 0) {
                    assertThat(rig.poisonedSlots()).as("seed %d", seed).isEmpty();
                }
            }
            rig.backend.failNever();
            rig.source.failWhen(key -> false);
            rig.gather(2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
            assertThat(rig.delivered()).as("seed %d", seed).hasSize(24);
            assertThat(rig.poisonedSlots()).as("seed %d", seed).isEmpty();
            assertThat(rig.backend.violations()).as("seed %d", seed).isEmpty();
        }
        assertThat(failures).as("seed %d", seed).isPositive();
    }

    @Test
    void ringHalfRewrittenBeforeItsEventIsSeen() {
        assertThat(violationsWithLyingEvents(ArenaKind.DEVICE)).isNotEmpty();
    }

    @Test
    void pinnedSlotRewrittenUnderARunningKernelIsSeen() {
        assertThat(violationsWithLyingEvents(ArenaKind.PINNED)).isNotEmpty();
    }

    private static List<String> violationsWithLyingEvents(ArenaKind kind) {
        PatternSource source = new PatternSource(24);
        DeferredBackend backend = new DeferredBackend(1, Pace.LAZY, true);
        try (FetcherRig rig = new FetcherRig(source, backend, FetcherRig.options(kind, source, 6, 2))) {
            backend.letEventsLie();
            rig.gather(0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
            backend.drain();
            return backend.violations();
        }
    }

    @Test
    void slotReadBeforeItsCopyIsSeen() {
        PatternSource source = new PatternSource(24);
        DeferredBackend backend = new DeferredBackend(1, Pace.LAZY, false);
        try (FetcherRig rig = new FetcherRig(source, backend, FetcherRig.options(ArenaKind.DEVICE, source, 6, 2))) {
            GpuStream other = backend.createStream();
            rig.gatherFor(other, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
            other.synchronize();
            assertThat(backend.violations()).isNotEmpty();
        }
    }
}

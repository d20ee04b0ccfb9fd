package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.ringside.gpu.DeferredBackend;
import dev.ringside.gpu.DeferredBackend.Pace;
import dev.ringside.gpu.DeviceException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ExpertFetcherTest {

    private static FetcherRig rig(ArenaKind kind, int slots, int expertsPerToken, int readers) {
        PatternSource source = new PatternSource(16, 0, 40);
        return new FetcherRig(source, new DeferredBackend(1, Pace.RANDOM, true),
                FetcherRig.options(kind, source, slots, expertsPerToken).withReaderThreads(readers));
    }

    @ParameterizedTest
    @EnumSource(names = {"DEVICE", "PINNED"})
    void everyExpertIsHandedOutOnceAlsoWhenTheyExceedTheArena(ArenaKind kind) {
        try (FetcherRig rig = rig(kind, 6, 3, 3)) {
            rig.gather(2, IntStream.range(0, 40).toArray());
            assertThat(rig.delivered()).containsExactlyInAnyOrderElementsOf(IntStream.range(0, 40).boxed().toList());
            assertThat(rig.source.reads()).isEqualTo(40);
            assertThat(rig.poisonedSlots()).isEmpty();
            assertThat(rig.backend.violations()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DEVICE", "PINNED"})
    void residentsComeFirstAndAreNotReadAgain(ArenaKind kind) {
        try (FetcherRig rig = rig(kind, 8, 4, 0)) {
            rig.gather(0, 1, 2, 3, 4, 5, 6, 7, 8);
            rig.gather(0, 9, 3, 10, 7, 11, 12, 13, 14, 15);
            assertThat(rig.waves.getFirst()).containsExactly(3, 7);
            assertThat(rig.source.reads()).isEqualTo(8 + 7);
            assertThat(rig.backend.violations()).isEmpty();
        }
    }

    @Test
    void arenaFullOfResidentsOfTheCallStillTakesTheMissingOnes() {
        try (FetcherRig rig = rig(ArenaKind.PINNED, 4, 2, 2)) {
            rig.gather(0, 0, 1, 2, 3);
            rig.gather(0, 4, 0, 1, 2, 3, 5);
            assertThat(rig.waves.getFirst()).containsExactly(0, 1, 2, 3);
            assertThat(rig.delivered()).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
            assertThat(rig.poisonedSlots()).isEmpty();
            assertThat(rig.backend.violations()).isEmpty();
        }
    }

    @Test
    void duplicateInOneCallIsOneMissAndThenHits() {
        try (FetcherRig rig = rig(ArenaKind.DEVICE, 8, 4, 0)) {
            rig.gather(0, 5, 5, 5, 6);
            assertThat(rig.delivered()).containsExactly(5, 6);
            ExpertSnapshot counters = rig.fetcher.snapshot();
            assertThat(counters.misses()).isEqualTo(2);
            assertThat(counters.hits()).isEqualTo(2);
        }
    }

    @Test
    void countersAreKeptPerLayerAndInTotal() {
        try (FetcherRig rig = rig(ArenaKind.PINNED, 4, 2, 0)) {
            rig.gather(0, 0, 1);
            rig.gather(2, 0, 1, 2);
            rig.gather(2, 0, 2);
            ExpertSnapshot counters = rig.fetcher.snapshot();
            assertThat(counters.arena()).isEqualTo("pinned");
            assertThat(counters.experts()).isEqualTo(56);
            assertThat(counters.resident()).isEqualTo(4);
            assertThat(counters.layers()).extracting(ExpertSnapshot.Layer::layer).containsExactly(0, 2);
            assertThat(counters.layers()).extracting(ExpertSnapshot.Layer::misses).containsExactly(2L, 3L);
            assertThat(counters.layers()).extracting(ExpertSnapshot.Layer::hits).containsExactly(0L, 2L);
            assertThat(counters.layers()).extracting(ExpertSnapshot.Layer::evictions).containsExactly(1L, 0L);
            assertThat(counters.bytesRead())
                    .isEqualTo(2 * rig.source.layout().expertBytes(0) + 3 * rig.source.layout().expertBytes(2));
            assertThat(counters.waits()).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DEVICE", "PINNED"})
    void failedReadNamesTheExpertAndItsNeighboursStay(ArenaKind kind) {
        try (FetcherRig rig = rig(kind, 8, 4, 2)) {
            rig.source.failWhen(key -> key == ExpertKey.of(2, 21));
            assertThatThrownBy(() -> rig.gather(2, 20, 21, 22)).isInstanceOfSatisfying(ExpertReadException.class, e -> {
                assertThat(e.layer()).isEqualTo(2);
                assertThat(e.expert()).isEqualTo(21);
                assertThat(e.shard()).isEqualTo("pattern");
            }).hasMessageContaining("expert 21 of layer 2");
            assertThat(rig.fetcher.snapshot().resident()).isEqualTo(2);
            assertThat(rig.fetcher.snapshot().readFailures()).isEqualTo(1);
            rig.source.failWhen(key -> false);
            rig.gather(2, 20, 21, 22);
            assertThat(rig.waves.getFirst()).containsExactly(20, 22);
            assertThat(rig.poisonedSlots()).isEmpty();
            assertThat(rig.backend.violations()).isEmpty();
        }
    }

    @Test
    void largeExpertsAreReadInParts() {
        PatternSource source = PatternSource.large(5);
        ExpertOptions options = FetcherRig.options(ArenaKind.PINNED, source, 4, 2).withReaderThreads(3);
        try (FetcherRig rig = new FetcherRig(source, new DeferredBackend(1, Pace.LAZY, true), options)) {
            rig.gather(0, 4);
            assertThat(source.reads()).isEqualTo(3);
            assertThat(rig.poisonedSlots()).isEmpty();
        }
    }

    @Test
    void consumerThatFailsLeavesTheFetcherUsable() {
        try (FetcherRig rig = rig(ArenaKind.PINNED, 6, 3, 3)) {
            int[] experts = IntStream.range(0, 16).toArray();
            assertThatThrownBy(() -> rig.fetcher.gather(0, experts, 16, rig.stream, (ids, addresses, count) -> {
                throw new IllegalStateException("kernel refused");
            })).hasMessage("kernel refused");
            rig.gather(0, experts);
            assertThat(rig.delivered()).hasSize(16);
            assertThat(rig.poisonedSlots()).isEmpty();
            assertThat(rig.backend.violations()).isEmpty();
        }
    }

    @Test
    void kernelsOfAConsumerThatFailsKeepTheirSlotsUntilTheyRan() {
        PatternSource source = new PatternSource(24);
        DeferredBackend backend = new DeferredBackend(1, Pace.LAZY, true);
        try (FetcherRig rig = new FetcherRig(source, backend, FetcherRig.options(ArenaKind.PINNED, source, 4, 2))) {
            int[] experts = {0, 1};
            assertThatThrownBy(() -> rig.fetcher.gather(0, experts, 2, rig.stream, (ids, addresses, count) -> {
                for (int i = 0; i < count; i++) {
                    rig.checkLater(rig.stream, 0, ids[i], addresses[i]);
                }
                throw new IllegalStateException("after the launch");
            })).hasMessage("after the launch");
            rig.gather(0, 10, 11, 12, 13, 14, 15);
            backend.drain();
            assertThat(backend.violations()).isEmpty();
        }
    }

    @Test
    void expertThatDoesNotExistIsRefusedWithTheNumberThereAre() {
        try (FetcherRig rig = rig(ArenaKind.PINNED, 6, 3, 0)) {
            assertThatThrownBy(() -> rig.gather(0, 16)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("has 16 experts");
            assertThatThrownBy(() -> rig.gather(1, 0)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("[0, 2]");
        }
    }

    @Test
    void interruptWhileReadingNeitherCutsTheGatherShortNorGetsLost() {
        try (FetcherRig rig = rig(ArenaKind.DEVICE, 6, 3, 3)) {
            Thread.currentThread().interrupt();
            rig.gather(0, IntStream.range(0, 16).toArray());
            assertThat(Thread.interrupted()).isTrue();
            assertThat(rig.delivered()).hasSize(16);
            assertThat(rig.poisonedSlots()).isEmpty();
        }
    }

    @Test
    void gatherOfResidentsAllocatesNothing() {
        PatternSource source = new PatternSource(64);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] seen = new long[1];
        try (FetcherRig rig = new FetcherRig(source, new DeferredBackend(1, Pace.LAZY, false),
                FetcherRig.options(ArenaKind.DEVICE, source, 64, 8))) {
            int[] experts = {3, 9, 27, 31, 40, 50, 60, 63};
            WaveConsumer consumer = (ids, addresses, count) -> seen[0] += addresses[count - 1];
            for (int i = 0; i < 2_000; i++) {
                rig.fetcher.gather(0, experts, experts.length, rig.stream, consumer);
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 10_000; i++) {
                rig.fetcher.gather(0, experts, experts.length, rig.stream, consumer);
            }
            // Less than a byte a gather: the odd allocation is the runtime's own.
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
        }
        assertThat(seen[0]).isNotZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"DEVICE", "PINNED"})
    void closingFreesEverythingAndMayBeRepeated(ArenaKind kind) {
        FetcherRig rig = rig(kind, 6, 3, 3);
        rig.gather(0, IntStream.range(0, 16).toArray());
        rig.fetcher.close();
        rig.fetcher.close();
        assertThat(rig.backend.memory().arenaBytes() + rig.backend.memory().pinnedBytes()).isZero();
        rig.backend.drain();
        assertThat(rig.backend.violations()).isEmpty();
        assertThatThrownBy(() -> rig.gather(0, 1)).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"DEVICE", "PINNED"})
    void allocationThatFailsHalfWayFreesWhatItTook(ArenaKind kind) {
        PatternSource source = new PatternSource(16);
        for (int failing = 0; failing < 4; failing++) {
            DeferredBackend backend = new DeferredBackend(1, Pace.LAZY, true);
            AtomicInteger left = new AtomicInteger(failing);
            backend.failWhen(call -> (call.startsWith("allocate") || call.equals("createEvent")) && left.getAndDecrement() == 0);
            assertThatThrownBy(
                    () -> ExpertFetcher.open(backend, source, ExpertArenaFactory.configured(), FetcherRig.options(kind, source, 8, 2)))
                    .isInstanceOf(DeviceException.class);
            assertThat(backend.memory().arenaBytes() + backend.memory().pinnedBytes()).isZero();
        }
    }
}

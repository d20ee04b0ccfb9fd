package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gpu.DeferredBackend;
import dev.ringside.gpu.DeferredBackend.Pace;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostTierTest {

    private static FetcherRig rig(String tier, DeferredBackend backend) {
        PatternSource source = new PatternSource(40);
        return new FetcherRig(source, backend, FetcherRig.options(ArenaKind.DEVICE, source, 8, 4).withReaderThreads(2)
                .withTuning(ExpertTuning.DEFAULT.withLookahead(false).withHostTier(HostTierSize.parse(tier))));
    }

    @Test
    void tierOfAllExpertsReadsEachOnceForever() {
        try (FetcherRig rig = rig("100%", new DeferredBackend(1, Pace.RANDOM, false))) {
            for (int round = 0; round < 5; round++) {
                rig.gather(0, IntStream.range(0, 40).toArray());
                assertThat(rig.delivered()).hasSize(40);
            }
            ExpertSnapshot counters = rig.fetcher.snapshot();
            assertThat(rig.source.reads()).isEqualTo(40);
            assertThat(counters.tier().host().resident()).isEqualTo(40);
            assertThat(counters.tier().host().hits()).isEqualTo(counters.misses() - 40);
            assertThat(counters.bytesRead()).isEqualTo(40 * rig.source.layout().expertBytes(0));
            assertThat(rig.poisonedSlots()).isEmpty();
            assertThat(rig.backend.violations()).isEmpty();
        }
    }

    @Test
    void tierSlotIsNotRewrittenBeforeItsCopyIsDone() {
        try (FetcherRig rig = rig("40%", new DeferredBackend(1, Pace.LAZY, false))) {
            for (int round = 0; round < 5; round++) {
                rig.gather(0, IntStream.range(0, 40).toArray());
            }
            assertThat(rig.poisonedSlots()).isEmpty();
            assertThat(rig.backend.violations()).isEmpty();
        }
    }

    @Test
    void tierSlotRewrittenTooEarlyWouldBeSeen() {
        try (FetcherRig rig = rig("40%", new DeferredBackend(1, Pace.LAZY, false))) {
            rig.backend.letEventsLie();
            rig.gather(0, IntStream.range(0, 40).toArray());
            rig.backend.drain();
            assertThat(rig.backend.violations()).isNotEmpty();
        }
    }

    @Test
    void failedReadLeavesNothingInTheTier() {
        try (FetcherRig rig = rig("100%", new DeferredBackend(1, Pace.RANDOM, false))) {
            rig.source.failWhen(key -> key == ExpertKey.of(0, 3));
            assertThatThrownBy(() -> rig.gather(0, 1, 2, 3)).isInstanceOf(ExpertReadException.class);
            assertThat(rig.fetcher.snapshot().tier().host().resident()).isEqualTo(2);
            rig.source.failWhen(key -> false);
            rig.gather(0, 1, 2, 3);
            assertThat(rig.delivered()).containsExactlyInAnyOrder(1, 2, 3);
            assertThat(rig.poisonedSlots()).isEmpty();
        }
    }

    @Test
    void pinnedArenaHasNoTier() {
        PatternSource source = new PatternSource(40);
        try (FetcherRig rig = new FetcherRig(source, new DeferredBackend(1, Pace.LAZY, true),
                FetcherRig.options(ArenaKind.PINNED, source, 8, 4)
                        .withTuning(ExpertTuning.DEFAULT.withHostTier(HostTierSize.parse("100%"))))) {
            assertThat(rig.fetcher.snapshot().tier().host()).isEqualTo(HostTierSnapshot.NONE);
        }
    }

    @ParameterizedTest
    @CsvSource({"0,0", "0GB,0", "50%,500", "100MB,100", "1TB,1000", "100%,1000"})
    void sizesAreCountedInSlots(String text, int expected) {
        assertThat(HostTierSize.parse(text).slots(1L << 20, 1000, 16)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "half", "-1", "0%", "101%"})
    void otherSizesAreRefusedWithTheProperty(String text) {
        assertThatThrownBy(() -> HostTierSize.parse(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ringside.experts.host-tier-bytes").hasMessageContaining("'" + text + "'");
    }

    @Test
    void tierTooSmallForTheBatchesInFlightIsRefusedWithTheSizeNeeded() {
        assertThatThrownBy(() -> HostTierSize.parse("5MB").slots(1L << 20, 1000, 16)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'5MB'").hasMessageContaining("at least 16").hasMessageContaining("16777216");
    }

    @Test
    void allocationThatFailsHalfWayFreesWhatItTook() {
        for (String call : List.of("allocateArena", "allocatePinned", "createEvent")) {
            DeferredBackend backend = new DeferredBackend(1, Pace.LAZY, false);
            backend.failWhen(call::equals);
            assertThatThrownBy(() -> rig("100%", backend)).hasMessageContaining(call);
            assertThat(backend.memory().arenaBytes() + backend.memory().pinnedBytes()).isZero();
        }
    }
}

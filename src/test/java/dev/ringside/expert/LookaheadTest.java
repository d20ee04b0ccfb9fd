package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.ringside.gpu.DeferredBackend;
import dev.ringside.gpu.DeferredBackend.Pace;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class LookaheadTest {

    private static FetcherRig rig(ArenaKind kind, int slots, ExpertTuning tuning) {
        PatternSource source = new PatternSource(40, 40);
        return new FetcherRig(source, new DeferredBackend(1, Pace.RANDOM, true),
                FetcherRig.options(kind, source, slots, 4).withReaderThreads(4).withEviction(ExpertEviction.LRU, 1).withTuning(tuning));
    }

    @ParameterizedTest
    @EnumSource(names = {"DEVICE", "PINNED"})
    void predictedExpertsAreReadOnceAndHitWhenAskedFor(ArenaKind kind) {
        try (FetcherRig rig = rig(kind, 16, ExpertTuning.DEFAULT)) {
            rig.gather(0, 1, 2);
            rig.fetcher.prefetch(1, new int[] {5, 6, 6, 7}, 4);
            rig.gather(1, 5, 6, 9);
            assertThat(rig.delivered()).containsExactlyInAnyOrder(5, 6, 9);
            ExpertSnapshot counters = rig.fetcher.snapshot();
            assertThat(counters.prefetchIssued()).isEqualTo(3);
            assertThat(counters.prefetchUsed()).isEqualTo(2);
            assertThat(counters.prefetchUnused()).isEqualTo(1);
            assertThat(counters.hits()).isEqualTo(2);
            assertThat(counters.misses()).isEqualTo(3);
            assertThat(rig.source.reads()).isEqualTo(6);
            assertThat(rig.poisonedSlots()).isEmpty();
            assertThat(rig.backend.violations()).isEmpty();
        }
    }

    @Test
    void whatWasNotAskedForGivesWayFirst() {
        try (FetcherRig rig = rig(ArenaKind.PINNED, 8, ExpertTuning.DEFAULT)) {
            rig.gather(0, 0, 1, 2, 3, 4, 5);
            rig.fetcher.prefetch(1, new int[] {20, 21}, 2);
            rig.gather(1, 20);
            rig.gather(0, 6);
            // 21 went, not 0, which is the least recently used.
            rig.gather(0, 0, 1, 2, 3, 4, 5);
            assertThat(rig.fetcher.snapshot().misses()).isEqualTo(7);
        }
    }

    @Test
    void predictionsTakeAtMostAQuarterOfTheArenaAndNeverWhatIsInUse() {
        try (FetcherRig rig = rig(ArenaKind.PINNED, 16, ExpertTuning.DEFAULT)) {
            rig.gather(0, IntStream.range(0, 16).toArray());
            rig.fetcher.prefetch(1, IntStream.range(0, 40).toArray(), 40);
            assertThat(rig.fetcher.snapshot().prefetchIssued()).isLessThanOrEqualTo(4);
            rig.gather(0, 15);
            assertThat(rig.delivered()).containsExactly(15);
        }
    }

    @Test
    void predictionsThatCannotBeReadHarmNobody() {
        try (FetcherRig rig = rig(ArenaKind.DEVICE, 16, ExpertTuning.DEFAULT)) {
            rig.gather(0, 1);
            rig.source.failWhen(key -> key == ExpertKey.of(1, 5));
            rig.fetcher.prefetch(1, new int[] {5, 6}, 2);
            assertThatCode(() -> rig.gather(1, 6)).doesNotThrowAnyException();
            rig.source.failWhen(key -> false);
            rig.gather(1, 5);
            assertThat(rig.delivered()).containsExactly(5);
            assertThat(rig.poisonedSlots()).isEmpty();
        }
    }

    @Test
    void gatherDoesNotWaitForPredictionsThatItDoesNotNeed() throws InterruptedException {
        try (FetcherRig rig = rig(ArenaKind.PINNED, 16, ExpertTuning.DEFAULT)) {
            rig.gather(0, 1);
            CountDownLatch reading = new CountDownLatch(1);
            CountDownLatch release = new CountDownLatch(1);
            rig.source.failWhen(key -> {
                if (key == ExpertKey.of(1, 30)) {
                    reading.countDown();
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
                return false;
            });
            rig.fetcher.prefetch(1, new int[] {30}, 1);
            reading.await();
            rig.gather(1, 2, 3);
            assertThat(rig.delivered()).containsExactlyInAnyOrder(2, 3);
            release.countDown();
            rig.gather(1, 30);
            assertThat(rig.delivered()).containsExactly(30);
            assertThat(rig.poisonedSlots()).isEmpty();
        }
    }

    @Test
    void predictionsThatWereCalledOffAreNoFailures() throws InterruptedException {
        try (FetcherRig rig = rig(ArenaKind.PINNED, 16, ExpertTuning.DEFAULT)) {
            rig.gather(0, 1);
            CountDownLatch reading = new CountDownLatch(1);
            CountDownLatch release = new CountDownLatch(1);
            rig.source.failWhen(key -> {
                if (key >= ExpertKey.of(1, 30)) {
                    reading.countDown();
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
                return false;
            });
            rig.fetcher.prefetch(1, new int[] {30, 31, 32, 33}, 4);
            reading.await();
            rig.gather(1, 2, 3);
            release.countDown();
            rig.gather(1, 33);
            rig.gather(0, 1);

            assertThat(rig.source.reads()).as("some predictions were never read").isLessThan(8);
            assertThat(rig.fetcher.snapshot().readFailures()).isZero();
            assertThat(rig.poisonedSlots()).isEmpty();
        }
    }

    @Test
    void nothingIsPredictedWhereEverythingFitsOrItIsOff() {
        try (FetcherRig all = rig(ArenaKind.PINNED, 80, ExpertTuning.DEFAULT);
                FetcherRig off = rig(ArenaKind.PINNED, 16, ExpertTuning.DEFAULT.withLookahead(false))) {
            assertThat(all.fetcher.looksAhead()).isFalse();
            assertThat(off.fetcher.looksAhead()).isFalse();
            off.fetcher.prefetch(0, new int[] {1}, 1);
            assertThat(off.fetcher.snapshot().prefetchIssued()).isZero();
        }
    }

    @Test
    void predictionsGoThroughTheHostTierToo() {
        try (FetcherRig rig = rig(ArenaKind.DEVICE, 16, ExpertTuning.DEFAULT.withHostTier(HostTierSize.parse("100%")))) {
            rig.gather(0, 1, 2);
            rig.fetcher.prefetch(1, new int[] {5}, 1);
            rig.gather(1, 5);
            rig.gather(0, IntStream.range(10, 40).toArray());
            rig.fetcher.prefetch(1, new int[] {5}, 1);
            rig.gather(1, 5);
            assertThat(rig.fetcher.snapshot().prefetchUsed()).isEqualTo(2);
            assertThat(rig.fetcher.snapshot().tier().host().hits()).isEqualTo(1);
            assertThat(rig.source.reads()).isEqualTo(33);
            assertThat(rig.poisonedSlots()).isEmpty();
            assertThat(rig.backend.violations()).isEmpty();
        }
    }
}

package dev.ringside.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gpu.DeferredBackend;
import dev.ringside.gpu.DeviceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrefixStoreTest {

    private static final PrefixOptions LARGE = new PrefixOptions(1 << 20, 1000, 8, Duration.ofHours(1));

    private final AtomicLong clock = new AtomicLong(1);

    private PrefixStore store(HashingModel model, PrefixOptions options) {
        return new PrefixStore(model.pool, HashingModel.IDENTITY, options, null, clock::incrementAndGet);
    }

    private static int[] prompt(int shared, int own, int length) {
        int[] tokens = new Random(shared).ints(length, 0, 1000).toArray();
        int[] rest = new Random(31 * own + 7).ints(length, 0, 1000).toArray();
        System.arraycopy(rest, 0, tokens, Math.min(length, 30), Math.max(0, length - 30));
        return tokens;
    }

    @Test
    void aPromptStartsAtTheLastBoundaryItShares() {
        try (HashingModel model = new HashingModel(3, 60, true); PrefixStore store = store(model, LARGE)) {
            assertThat(model.run(store, prompt(1, 1, 40), 8, 16, 24, 36)).isZero();
            assertThat(model.run(store, prompt(1, 2, 40), 36)).as("30 tokens are shared").isEqualTo(24);
            assertThat(model.run(store, prompt(1, 2, 40))).isEqualTo(36);
            assertThat(model.run(store, prompt(2, 2, 40))).isZero();
            assertThat(store.common(prompt(1, 3, 40))).as("in whole pages").isEqualTo(28);
            PrefixSnapshot now = store.snapshot();
            assertThat(now.hits()).isEqualTo(2);
            assertThat(now.misses()).isEqualTo(2);
            assertThat(now.tokensSaved()).isEqualTo(60);
            assertThat(now.entries()).isEqualTo(5);
        }
    }

    @Test
    void boundariesInsideAPageAreSharedTooAndNobodyWritesIntoThem() {
        try (HashingModel model = new HashingModel(3, 60, true); PrefixStore store = store(model, LARGE)) {
            model.run(store, prompt(1, 1, 40), 27, 29, 30);
            assertThat(model.run(store, prompt(1, 2, 40))).isEqualTo(30);
            assertThat(model.run(store, prompt(1, 1, 40))).isEqualTo(30);
            assertThat(model.run(store, Arrays.copyOf(prompt(1, 1, 40), 30))).isEqualTo(29);
            assertThat(model.run(store, Arrays.copyOf(prompt(1, 1, 40), 29))).isEqualTo(27);
            assertThat(model.run(store, Arrays.copyOf(prompt(1, 1, 40), 27))).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {15, 16, 17, 63, 64, 65})
    void theSamePromptAgainAndThenAStrictPrefixOfItComputeAtLeastTheLastToken(int length) {
        for (boolean recurrent : new boolean[] {true, false}) {
            try (HashingModel model = new HashingModel(3, 60, recurrent); PrefixStore store = store(model, LARGE)) {
                int[] prompt = prompt(1, 1, length);
                int boundary = (length - 1) / 4 * 4;
                model.run(store, prompt, 8, boundary);
                assertThat(model.run(store, prompt)).isEqualTo(boundary);
                assertThat(model.run(store, Arrays.copyOf(prompt, boundary))).isEqualTo(recurrent ? 8 : boundary - 1);
                assertThat(model.run(store, Arrays.copyOf(prompt, boundary + 1))).isEqualTo(boundary);
            }
        }
    }

    @Test
    void modelsWithoutRecurrentStateStartAtAnyToken() {
        try (HashingModel model = new HashingModel(3, 60, false); PrefixStore store = store(model, LARGE)) {
            model.run(store, prompt(1, 1, 40), 39);
            assertThat(model.run(store, prompt(1, 2, 40))).isEqualTo(30);
            assertThat(model.run(store, Arrays.copyOf(prompt(1, 1, 40), 22))).isEqualTo(21);
            assertThat(store.snapshot().entries()).isEqualTo(1);
        }
    }

    @Test
    void twentyRequestsWithTheSamePromptHoldItsPagesOnce() {
        for (boolean together : new boolean[] {true, false}) {
            try (HashingModel model = new HashingModel(20, 80, true); PrefixStore store = store(model, LARGE)) {
                int[] prompt = prompt(1, 1, 42);
                List<SequenceState> states = new ArrayList<>();
                for (int i = 0; i < (together ? 5 : 20); i++) {
                    SequenceState state = model.pool.acquire(50);
                    int start = together ? 0 : store.restore(state, prompt);
                    model.feed(state, prompt, start, 40, 1000);
                    states.add(state);
                    if (!together) {
                        store.save(state, 40);
                        model.feed(state, prompt, 40, 42, 1000);
                    }
                }
                for (SequenceState state : states) {
                    if (together) {
                        store.save(state, 40);
                        model.feed(state, prompt, 40, 42, 1000);
                    }
                }
                if (!together) {
                    assertThat(model.pool.snapshot().pagesUsed()).as("ten shared pages and one of each sequence").isEqualTo(10 + 20);
                    assertThat(model.pool.snapshot().pagesShared()).isEqualTo(10);
                }
                for (SequenceState state : states) {
                    model.requireHolds(state, prompt, 42, "together " + together);
                    state.close();
                }
                store.drop(null);
                assertThat(model.pool.freePages()).isEqualTo(80);
            }
        }
    }

    @Test
    void theLeastRecentlyUsedEndOfAChainGivesWayAndTheBudgetIsNeverPassed() {
        PrefixOptions small = new PrefixOptions(3 * 256, 1000, 8, Duration.ofHours(1));
        try (HashingModel model = new HashingModel(3, 60, true); PrefixStore store = store(model, small)) {
            model.run(store, prompt(1, 1, 40), 8, 16);
            model.run(store, prompt(2, 1, 40), 16);
            assertThat(store.snapshot().bytes()).isEqualTo(3 * 256);
            assertThat(model.run(store, prompt(1, 1, 40))).isEqualTo(16);
            model.run(store, prompt(3, 1, 40), 16);
            assertThat(store.snapshot().evictions()).isEqualTo(1);
            assertThat(model.run(store, prompt(2, 1, 40))).as("was used longest ago").isZero();
            assertThat(model.run(store, prompt(1, 1, 40))).isEqualTo(16);
            model.run(store, prompt(4, 1, 40), 4, 8, 12, 16, 20, 24);
            assertThat(store.snapshot().bytes()).isLessThanOrEqualTo(3 * 256);
            assertThat(model.run(store, prompt(4, 1, 40))).isEqualTo(24);
        }
    }

    @Test
    void theNumberOfEntriesIsLimitedAndAnEntryTooLargeIsNotKept() {
        try (HashingModel model = new HashingModel(3, 60, true);
                PrefixStore store = store(model, new PrefixOptions(1 << 20, 2, 8, Duration.ofHours(1)))) {
            model.run(store, prompt(1, 1, 40), 4, 8, 12);
            assertThat(store.snapshot().entries()).isEqualTo(2);
        }
        try (HashingModel model = new HashingModel(3, 60, true);
                PrefixStore store = store(model, new PrefixOptions(255, 2, 8, Duration.ofHours(1)))) {
            model.run(store, prompt(1, 1, 40), 4, 8, 12);
            assertThat(store.snapshot().entries()).isZero();
            assertThat(model.pool.freePages()).isEqualTo(60);
        }
    }

    @Test
    void whatNobodyUsesExpires() {
        try (HashingModel model = new HashingModel(3, 60, true);
                PrefixStore store = store(model, new PrefixOptions(1 << 20, 99, 8, Duration.ofSeconds(10)))) {
            model.run(store, prompt(1, 1, 40), 16);
            model.run(store, prompt(2, 1, 40), 16);
            clock.addAndGet(Duration.ofSeconds(6).toNanos());
            assertThat(model.run(store, prompt(1, 1, 40))).isEqualTo(16);
            clock.addAndGet(Duration.ofSeconds(6).toNanos());
            assertThat(model.run(store, prompt(2, 1, 40))).isZero();
            assertThat(model.run(store, prompt(1, 1, 40))).isEqualTo(16);
        }
    }

    @Test
    void runningSequencesGetThePagesOfPrefixes() {
        try (HashingModel model = new HashingModel(3, 12, true); PrefixStore store = store(model, LARGE)) {
            model.run(store, prompt(1, 1, 40), 16, 36);
            assertThat(store.snapshot().pages()).isEqualTo(9);
            model.run(store, prompt(2, 1, 20));
            assertThat(store.snapshot().pages()).as("the end of the chain gave way").isEqualTo(4);
            try (SequenceState state = model.pool.acquire(48)) {
                assertThat(store.restore(state, prompt(1, 1, 44))).isEqualTo(16);
                model.feed(state, prompt(1, 1, 44), 16, 44, 1000);
                model.requireHolds(state, prompt(1, 1, 44), 44, "on shared pages");
                assertThat(store.snapshot().entries()).as("its pages are in use anyway").isEqualTo(1);
            }
            model.run(store, prompt(3, 1, 44));
            assertThat(store.snapshot().entries()).isZero();
        }
    }

    @Test
    void aFailureWhileRestoringOrSavingLeavesEverythingAsItWas() {
        try (HashingModel model = new HashingModel(3, 60, true); PrefixStore store = store(model, LARGE)) {
            int[] prompt = prompt(1, 1, 40);
            model.run(store, prompt, 16);
            PrefixSnapshot before = store.snapshot();
            try (SequenceState state = model.pool.acquire(44)) {
                model.backend.failWhen(call -> call.equals("copyToDevice"));
                assertThatThrownBy(() -> store.restore(state, prompt)).isInstanceOf(DeviceException.class);
                model.backend.failNever();
                assertThat(state.position()).isZero();
                assertThat(model.pool.snapshot().pagesKept()).isEqualTo(4);
                model.feed(state, prompt, 0, 20, 1000);
                model.backend.failWhen(call -> call.equals("copyToHost"));
                assertThatThrownBy(() -> store.save(state, 20)).isInstanceOf(DeviceException.class);
                model.backend.failNever();
                model.requireHolds(state, prompt, 20, "after a failed save");
            }
            assertThat(store.snapshot().bytes()).isEqualTo(before.bytes());
            assertThat(store.snapshot().failures()).isEqualTo(2);
            assertThat(model.run(store, prompt)).isEqualTo(16);
        }
    }

    @Test
    void prefixesCanBeListedAndDropped() {
        try (HashingModel model = new HashingModel(3, 60, true); PrefixStore store = store(model, LARGE)) {
            model.run(store, prompt(1, 1, 40), 16, 36);
            List<PrefixInfo> list = store.list(10);
            assertThat(list).extracting(PrefixInfo::tokens).containsExactly(36, 16);
            assertThat(store.drop(list.getFirst().id())).isEqualTo(1);
            assertThat(store.drop("nothing")).isZero();
            assertThat(model.run(store, prompt(1, 1, 40))).isEqualTo(16);
            assertThat(store.drop(null)).isEqualTo(1);
            assertThat(model.pool.freePages()).isEqualTo(60);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void randomTrafficNeverShowsInASequence(long round) {
        long seed = Long.getLong("ringside.test.seed", round);
        Random random = new Random(seed);
        boolean recurrent = random.nextBoolean();
        PrefixOptions options = new PrefixOptions(1500, 6, 8, Duration.ofNanos(4000));
        try (HashingModel model = new HashingModel(4, 50, recurrent, DeferredBackend.Pace.RANDOM);
                PrefixStore store = store(model, options)) {
            for (int i = 0; i < 150; i++) {
                int[] prompt = prompt(random.nextInt(3), random.nextInt(4), 20 + random.nextInt(40));
                int[] boundaries = random.ints(random.nextInt(4), 1, prompt.length).sorted().distinct().toArray();
                model.run(store, prompt, boundaries);
                assertThat(model.pool.snapshot().pagesUsed()).as("seed %d", seed).isZero();
                assertThat(model.pool.snapshot().pagesKept()).as("seed %d", seed).isEqualTo(store.snapshot().pages());
                assertThat(store.snapshot().bytes()).as("seed %d", seed).isBetween(0L, 1500L);
                if (random.nextInt(20) == 0) {
                    store.drop(null);
                    assertThat(model.pool.freePages()).as("seed %d", seed).isEqualTo(50);
                }
            }
            assertThat(store.snapshot().hits()).isPositive();
        }
    }
}

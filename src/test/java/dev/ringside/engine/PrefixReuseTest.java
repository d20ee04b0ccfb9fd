package dev.ringside.engine;

import static dev.ringside.engine.EngineHarness.prompt;
import static dev.ringside.engine.EngineHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.sampling.SamplingParameters;
import dev.ringside.sequence.PrefixInfo;
import dev.ringside.sequence.PrefixOptions;
import dev.ringside.sequence.StateBudget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Prompts begin behind what earlier ones had in common with them, and their texts are what they would be otherwise. */
class PrefixReuseTest {

    private static final PrefixOptions LARGE = new PrefixOptions(1 << 20, 16, Duration.ofHours(1));

    private static EngineHarness harness(int planes) {
        return EngineHarness.caching(4, 24, 400, planes, 400, LARGE);
    }

    private static String alone(GenerationRequest request) {
        try (EngineHarness harness = EngineHarness.hashing(1, 64, 400)) {
            return harness.run(request).awaitEnd().text();
        }
    }

    /** The text is right; gives back how much of the prompt was not computed. */
    private static int cached(EngineHarness harness, GenerationRequest request) {
        Recorder recorder = harness.run(request);
        Usage usage = recorder.completed().usage();
        assertThat(recorder.text()).isEqualTo(alone(request));
        assertThat(usage.promptTokens()).isEqualTo(request.prompt().length);
        return usage.cachedTokens();
    }

    private static int[] parted(int shared, int own, int length) {
        int[] tokens = prompt(1, length);
        System.arraycopy(prompt(own, length), 0, tokens, shared, length - shared);
        return tokens;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void theSamePromptTwiceThenAStrictPrefixOfIt(int planes) {
        for (int length : new int[] {5, 63, 64, 65, 127, 128, 129}) {
            try (EngineHarness harness = harness(planes)) {
                int[] prompt = prompt(length, length);
                int border = (length - 1) / 4 * 4;
                assertThat(cached(harness, request("cold", 8, prompt))).isZero();
                assertThat(cached(harness, request("warm", 8, prompt))).as("length %d", length).isEqualTo(border);
                int interval = (border - 1) / 16 * 16;
                assertThat(cached(harness, request("prefix", 8, Arrays.copyOf(prompt, border)))).as("length %d", length)
                        .isEqualTo(interval);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void promptsThatPartReuseTheLastBoundaryInFrontOfThat(int planes) {
        try (EngineHarness harness = harness(planes)) {
            assertThat(cached(harness, request("a", 8, parted(70, 5, 120)))).isZero();
            assertThat(cached(harness, request("b", 8, parted(70, 6, 120)))).isEqualTo(64);
            assertThat(cached(harness, request("c", 8, parted(70, 7, 120)))).as("b kept the place where it parted from a").isEqualTo(68);
        }
    }

    @Test
    void boundariesOfTheRequestAreKept() {
        try (EngineHarness harness = harness(3)) {
            int[] prompt = prompt(1, 40);
            harness.run(new GenerationRequest("a", prompt, SamplingParameters.greedy(), 4, List.of(), false, new int[] {0, 1, 22, 40, 99}))
                    .completed();
            assertThat(cached(harness, request("b", 8, parted(23, 9, 40)))).isEqualTo(22);
        }
    }

    @Test
    void aConversationGoesOnFromTheEndOfTheLastAnswer() {
        try (EngineHarness harness = harness(3)) {
            int[] prompt = prompt(1, 30);
            Recorder first = harness.run(request("first", 10, prompt));
            first.completed();
            int[] words = Arrays.stream(first.text().strip().split(" ")).mapToInt(word -> Integer.parseInt(word.substring(1))).toArray();
            int[] next = Arrays.copyOf(prompt, 30 + words.length + 6);
            System.arraycopy(words, 0, next, 30, words.length);
            assertThat(cached(harness, request("second", 8, next))).isEqualTo(39);
        }
    }

    @Test
    void aStepIsNotCutForBoundariesWhenThereIsAPlaneForThem() {
        try (EngineHarness harness = harness(3)) {
            harness.run(request("a", 1, prompt(1, 15))).completed();
            assertThat(harness.model.steps()).hasSize(1);
        }
        try (EngineHarness harness = harness(2)) {
            harness.run(request("a", 1, prompt(1, 15))).completed();
            assertThat(harness.model.steps()).hasSize(2);
        }
    }

    @Test
    void whoComesWhileTheSamePromptIsComputedWaitsForItAndLetsOthersPass() {
        try (EngineHarness harness = new EngineHarness(
                new FakeModel(EngineHarness.VOCABULARY, 400, FakeModel.byHash(EngineHarness.VOCABULARY)),
                TestTokenizer.ofSize(EngineHarness.VOCABULARY), new EngineOptions(22, 24, 400), new StateBudget(22, 3, 400), LARGE)) {
            Semaphore gate = new Semaphore(0);
            harness.model.beforeEachStep(_ -> gate.acquireUninterruptibly());
            List<Recorder> recorders = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                recorders.add(harness.run(request("r" + i, 40, parted(200, i, 204))));
            }
            Recorder other = harness.run(request("other", 1, prompt(50, 10)));
            gate.release(5);
            other.completed();
            assertThat(recorders).allMatch(recorder -> recorder.text().isEmpty());
            gate.release(16);
            while (harness.engine.snapshot().active() < 20) {
                Thread.onSpinWait();
            }
            assertThat(harness.pool.snapshot().pagesUsed()).as("the 50 pages of 200 tokens once, and some of each")
                    .isLessThanOrEqualTo(50 + 20 * 4);
            gate.release(10_000);
            recorders.forEach(Recorder::completed);
            assertThat(harness.engine.snapshot().promptTokens()).isEqualTo(10 + 204 + 19 * 4);
        }
    }

    @Test
    void warmUpLeavesNoPrefix() {
        try (EngineHarness harness = harness(3)) {
            harness.engine.warmUp();
            assertThat(harness.engine.prefixes().entries()).isZero();
            assertThat(harness.engine.prefixes().misses()).isZero();
        }
    }

    @Test
    void prefixesCanBeListedAndDroppedFromOutside() {
        try (EngineHarness harness = harness(3)) {
            harness.run(request("a", 4, prompt(1, 40))).completed();
            List<PrefixInfo> list = harness.engine.listPrefixes(10).join();
            assertThat(list).extracting(PrefixInfo::tokens).containsExactlyInAnyOrder(16, 32, 36, 43);
            assertThat(harness.engine.dropPrefixes(list.getFirst().id()).join()).isEqualTo(1);
            assertThat(harness.engine.dropPrefixes(null).join()).isEqualTo(3);
            assertThat(harness.pool.freePages()).isEqualTo(400);
            harness.engine.close();
            assertThat(harness.engine.dropPrefixes(null).join()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void randomTrafficOverSharedPromptsGivesTheTextsOfEachAlone(long round) {
        long seed = Long.getLong("ringside.test.seed", round);
        Random random = new Random(seed);
        int pages = 60 + random.nextInt(100);
        try (EngineHarness harness = EngineHarness.caching(6, 20, 220, 2 + random.nextInt(2), pages,
                new PrefixOptions(3000, 8 + random.nextInt(40),
                        Duration.ofHours(1)))) {
            List<GenerationRequest> requests = new ArrayList<>();
            List<Recorder> recorders = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                int[] prompt = parted(40 + 10 * random.nextInt(6), random.nextInt(5), 110 + random.nextInt(30));
                requests.add(request("r" + i, 1 + random.nextInt(40), Arrays.copyOf(prompt, 1 + random.nextInt(prompt.length))));
                recorders.add(harness.run(requests.get(i)));
                if (random.nextInt(8) == 0) {
                    recorders.get(random.nextInt(recorders.size())).awaitEnd();
                }
            }
            try (EngineHarness alone = EngineHarness.hashing(1, 64, 220)) {
                for (int i = 0; i < requests.size(); i++) {
                    recorders.get(i).completed();
                    assertThat(recorders.get(i).text()).as("request %d, seed %d", i, seed)
                            .isEqualTo(alone.run(requests.get(i)).awaitEnd().text());
                }
            }
            assertThat(harness.engine.prefixes().hits()).as("seed %d", seed).isPositive();
            harness.engine.close();
            assertThat(harness.pool.freePages()).as("seed %d", seed).isEqualTo(pages);
            assertThat(harness.pool.freeSequences()).as("seed %d", seed).isEqualTo(6);
        }
    }
}

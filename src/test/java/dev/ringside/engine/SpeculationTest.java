package dev.ringside.engine;

import static dev.ringside.engine.EngineHarness.VOCABULARY;
import static dev.ringside.engine.EngineHarness.prompt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.sampling.SamplingParameters;
import dev.ringside.sequence.StateBudget;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpeculationTest {

    private static final SpeculationOptions THREE = new SpeculationOptions(3, false);

    private static EngineHarness drafting(DraftingModel model, TestTokenizer tokenizer, SpeculationOptions drafts) {
        return new EngineHarness(model, tokenizer, new EngineOptions(4, 24, 64, 0).with(drafts), new StateBudget(4, 5, 64), null);
    }

    /** Says the words one after the other; every draft is right. */
    private static EngineHarness reciting(FakeModel model, String... words) {
        return drafting(new DraftingModel(model, (_, token) -> token + 1), TestTokenizer.ofWords(words), THREE);
    }

    private static FakeModel counting(int words) {
        return new FakeModel(words + 1, 64, FakeModel.counting());
    }

    private static EngineHarness hashing(int wrongInTen, GenerationRequest... known) {
        FakeModel model = new FakeModel(VOCABULARY, 64, FakeModel.byHash(VOCABULARY));
        Foresight foresight = new Foresight(VOCABULARY, wrongInTen);
        try (EngineHarness plain = EngineHarness.hashing(1, 24, 64)) {
            for (GenerationRequest request : known) {
                foresight.learn(request.prompt(), plain.run(request).awaitEnd().text());
            }
        }
        return drafting(new DraftingModel(model, foresight), TestTokenizer.ofSize(VOCABULARY), THREE);
    }

    private static GenerationRequest asking(int maxTokens, SamplingParameters sampling, String... stop) {
        return new GenerationRequest("r", prompt(3, 7), sampling, maxTokens, List.of(stop), false, new int[0], 2, null,
                Priority.INTERACTIVE,
                null);
    }

    private static void assertSameEntries(Recorder found, Recorder expected) {
        int used = expected.completed().usage().completionTokens();
        assertThat(found.completed().usage()).isEqualTo(expected.completed().usage());
        assertThat(found.completed().reason()).isEqualTo(expected.completed().reason());
        assertThat(found.text()).isEqualTo(expected.text());
        assertThat(found.deliveredTokens()).isEqualTo(used);
        assertThat(found.logprobs()).hasSize(used);
        for (int i = 0; i < used; i++) {
            TokenLogprob one = found.logprobs().get(i);
            TokenLogprob other = expected.logprobs().get(i);
            assertThat(one.token()).isEqualTo(other.token());
            assertThat(one.logprob()).isEqualTo(other.logprob());
            assertThat(one.topTokens()).isEqualTo(other.topTokens());
            assertThat(one.topLogprobs()).isEqualTo(other.topLogprobs());
        }
    }

    @Test
    void rightDraftsBringFourTokensAStep() {
        FakeModel model = counting(20);
        String[] words = new String[20];
        for (int i = 0; i < 20; i++) {
            words[i] = "w" + i + " ";
        }
        try (EngineHarness harness = reciting(model, words)) {
            Recorder recorder = harness.run(EngineHarness.request("r", 13, 0));

            assertThat(recorder.completed().usage().completionTokens()).isEqualTo(13);
            // The prompt's row gives the first token, three steps give four each.
            assertThat(model.steps()).extracting(rows -> rows[0]).containsExactly(1, 4, 4, 4);
            SpeculationSnapshot drafts = harness.engine.snapshot().speculation();
            assertThat(drafts.drafted()).isEqualTo(9);
            assertThat(drafts.accepted()).isEqualTo(9);
            assertThat(drafts.acceptedAt()).containsExactly(3L, 3L, 3L);
            assertThat(drafts.tokensPerStep()).isEqualTo(13 / 4.0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9})
    void maxTokensIsWhatIsDeliveredUsedAndReported(int maxTokens) {
        GenerationRequest request = asking(maxTokens, SamplingParameters.greedy());
        for (int wrong : new int[] {0, 4, 10}) {
            try (EngineHarness plain = EngineHarness.hashing(1, 24, 64); EngineHarness harness = hashing(wrong, request)) {
                Recorder recorder = harness.run(request);

                assertThat(recorder.completed().usage().completionTokens()).isEqualTo(maxTokens);
                assertSameEntries(recorder, plain.run(request));
            }
        }
    }

    @Test
    void nothingIsDraftedBeyondMaxTokens() {
        FakeModel model = counting(9);
        try (EngineHarness harness = reciting(model, "a", "b", "c", "d", "e", "f", "g", "h", "i")) {
            harness.run(EngineHarness.request("r", 3, 0)).completed();

            assertThat(model.steps()).extracting(rows -> rows[0]).containsExactly(1, 2);
        }
    }

    @Test
    void anEndTokenInsideAnAcceptedBlockEndsThere() {
        try (EngineHarness harness = reciting(counting(4), "zero ", "one ", "two ", "three ")) {
            Recorder recorder = harness.run(EngineHarness.request("r", 50, 0));

            assertThat(recorder.completed().reason()).isEqualTo(FinishReason.STOP);
            assertThat(recorder.text()).isEqualTo("one two three ");
            assertThat(recorder.completed().usage()).isEqualTo(new Usage(1, 3, 0));
            assertThat(recorder.deliveredTokens()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"beta gamma", "alpha", "ma d", "delta"})
    void aStopStringInsideAnAcceptedBlockEndsThere(String stop) {
        String[] words = {"zero ", "alpha ", "be", "ta", " gam", "ma ", "delta", "never"};
        try (EngineHarness plain = EngineHarness.reciting(words); EngineHarness harness = reciting(counting(words.length), words)) {
            Recorder expected = plain.run(EngineHarness.stopping(stop));
            Recorder recorder = harness.run(EngineHarness.stopping(stop));

            assertThat(recorder.completed().reason()).isEqualTo(FinishReason.STOP);
            assertThat(recorder.text()).isEqualTo(expected.awaitEnd().text());
            assertThat(recorder.completed().usage()).isEqualTo(expected.completed().usage());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 7, 10})
    void penaltiesBiasAndDrawingAreWhatTheyAreWithoutDrafts(int wrongInTen) {
        SamplingParameters sampling = new SamplingParameters(1.7f, 0.95f, 40, 0.01f, 0.7f, 0.3f, 1.3f, 99, Map.of(7, 5f));
        GenerationRequest request = asking(40, sampling);
        try (EngineHarness plain = EngineHarness.hashing(1, 24, 64); EngineHarness harness = hashing(wrongInTen, request)) {
            assertSameEntries(harness.run(request), plain.run(request));
        }
    }

    @Test
    void aConstraintIsFollowedAsWithoutDrafts() {
        int[] script = {5, 80, 64, 63, 1, 2, 3, 4, 90, 91, 92};
        FakeModel model = new FakeModel(VOCABULARY, 64, FakeModel.byHash(VOCABULARY));
        try (EngineHarness harness = drafting(new DraftingModel(model, (_, _) -> 0), TestTokenizer.ofSize(VOCABULARY), THREE)) {
            ScriptedConstraint constraint = new ScriptedConstraint(VOCABULARY, script);
            Recorder recorder = harness.run(new GenerationRequest("r", prompt(1, 5), SamplingParameters.greedy(), 40, List.of(), false,
                    new int[0], GenerationRequest.NO_LOGPROBS, () -> constraint, Priority.INTERACTIVE, null));

            assertThat(recorder.completed().reason()).isEqualTo(FinishReason.STOP);
            assertThat(recorder.text()).isEqualTo("w5 w80 w64 w63 w1 w2 w3 w4 w90 w91 w92 ");
            assertThat(constraint.accepted()).isEqualTo(script.length);
            // The constraint allows one token at a time, so drafts that follow it are all right.
            SpeculationSnapshot drafts = harness.engine.snapshot().speculation();
            assertThat(drafts.accepted()).isEqualTo(drafts.drafted()).isPositive();
        }
    }

    @Test
    void aDraftBlockThatFailsEndsDraftingAndNothingElse() {
        GenerationRequest request = asking(30, SamplingParameters.greedy());
        FakeModel model = new FakeModel(VOCABULARY, 64, FakeModel.byHash(VOCABULARY));
        for (int run = 0; run < 8; run++) {
            DraftingModel failing = new DraftingModel(model, (_, token) -> token);
            failing.failAt(run);
            try (EngineHarness plain = EngineHarness.hashing(1, 24, 64);
                    EngineHarness harness = drafting(failing, TestTokenizer.ofSize(VOCABULARY), THREE)) {
                assertSameEntries(harness.run(request), plain.run(request));
                assertThat(failing.drafts).hasValue(run + 1);
            }
        }
    }

    @Test
    void aStepThatFailsForItsDraftsIsTriedWithoutThem() {
        GenerationRequest request = asking(30, SamplingParameters.greedy());
        FakeModel model = new FakeModel(VOCABULARY, 64, FakeModel.byHash(VOCABULARY));
        model.beforeEachStep(rows -> {
            if (rows.segments() == 1 && rows.rowCount(0) == 4 && rows.position(0) > 8) {
                throw new IllegalStateException("an expert of a draft can't be read");
            }
        });
        try (EngineHarness plain = EngineHarness.hashing(1, 24, 64);
                EngineHarness harness = drafting(new DraftingModel(model, (_, token) -> token), TestTokenizer.ofSize(VOCABULARY), THREE)) {
            assertSameEntries(harness.run(request), plain.run(request));
        }
    }

    @Test
    void whoLeavesWhileDraftsAreMadeLeavesItsPlace() {
        CountDownLatch left = new CountDownLatch(1);
        AtomicReference<Generation> generation = new AtomicReference<>();
        FakeModel model = new FakeModel(VOCABULARY, 64, FakeModel.byHash(VOCABULARY));
        try (EngineHarness harness = drafting(new DraftingModel(model, (position, _) -> {
            Generation running = generation.get();
            if (running != null && position > 12) {
                running.cancel();
                left.countDown();
            }
            return 0;
        }), TestTokenizer.ofSize(VOCABULARY), THREE)) {
            CountDownLatch submitted = new CountDownLatch(1);
            model.beforeEachStep(_ -> Recorder.await(submitted));
            Recorder recorder = new Recorder();
            generation.set(harness.engine.submit(EngineHarness.request("r", 50, prompt(1, 5)), recorder));
            submitted.countDown();
            Recorder.await(left);

            assertThat(recorder.cancelled()).isTrue();
            assertThat(harness.pool.snapshot().bytesUsed()).isZero();
        }
    }

    @Test
    void fewPagesMeanFewerDraftsAndNoFailure() {
        GenerationRequest request = asking(40, SamplingParameters.greedy());
        FakeModel model = new FakeModel(VOCABULARY, 64, FakeModel.byHash(VOCABULARY));
        DraftingModel drafting = new DraftingModel(model, (_, token) -> token);
        int pages = model.stateLayout().pagesFor(7 + 40 - 1);
        try (EngineHarness plain = EngineHarness.hashing(1, 24, 64);
                EngineHarness harness = new EngineHarness(drafting, TestTokenizer.ofSize(VOCABULARY),
                        new EngineOptions(2, 24, 64, 0).with(THREE), new StateBudget(2, 5, pages), null)) {
            Recorder expected = plain.run(request);
            Recorder first = harness.run(request);
            Recorder second = harness.run(request);

            assertSameEntries(first, expected);
            assertSameEntries(second, expected);
        }
    }
}

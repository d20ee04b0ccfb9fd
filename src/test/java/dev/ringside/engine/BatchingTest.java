package dev.ringside.engine;

import static dev.ringside.engine.EngineHarness.prompt;
import static dev.ringside.engine.EngineHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.sampling.SamplingParameters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

class BatchingTest {

    @Test
    void eightAtOnceGiveTheTextsOfOneAfterAnother() {
        List<String> serial = new ArrayList<>();
        try (EngineHarness harness = EngineHarness.hashing(1, 5, 120)) {
            for (int i = 0; i < 8; i++) {
                serial.add(harness.run(mixed(i)).awaitEnd().text());
            }
        }
        try (EngineHarness harness = EngineHarness.hashing(8, 16, 120)) {
            List<Recorder> recorders = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                recorders.add(harness.run(mixed(i)));
            }

            assertThat(recorders).extracting(each -> each.awaitEnd().text()).isEqualTo(serial);
            assertThat(serial).doesNotHaveDuplicates().allSatisfy(text -> assertThat(text).isNotEmpty());
        }
    }

    /** Greedy and drawn, with short and long prompts and outputs. */
    private static GenerationRequest mixed(int seed) {
        SamplingParameters sampling = seed % 2 == 0
                ? SamplingParameters.greedy()
                : new SamplingParameters(1.5f, 0.95f, 0, 0, 0.5f, 0.2f, 1.1f, seed, Map.of(3, 2f));
        return new GenerationRequest("r" + seed, prompt(seed, 1 + seed * 7), sampling, 10 + seed * 3, List.of(), false);
    }

    @Test
    void decodeRowsAndPromptChunksShareAStep() {
        try (EngineHarness harness = EngineHarness.hashing(4, 10, 200)) {
            Semaphore gate = gated(harness);
            Recorder early = harness.run(request("early", 60, 1));
            gate.release(2);
            Recorder.await(early.firstText);
            Recorder late = harness.run(request("late", 2, prompt(3, 40)));
            gate.release(1000);
            late.awaitEnd();
            early.awaitEnd();

            assertThat(harness.model.steps()).contains(new int[] {1, 9}, new int[] {1, 4});
        }
    }

    @Test
    void aStepSaysWhichOfItsRowsArePrompts() {
        try (EngineHarness harness = EngineHarness.hashing(4, 10, 200)) {
            Semaphore gate = new Semaphore(0);
            List<String> steps = Collections.synchronizedList(new ArrayList<>());
            harness.model.beforeEachStep(rows -> {
                gate.acquireUninterruptibly();
                steps.add(rows.decodeRows() + " of " + rows.rows());
            });
            Recorder early = harness.run(request("early", 60, 1));
            gate.release(1);
            Recorder.await(early.firstText);
            Recorder late = harness.run(request("late", 2, prompt(3, 40)));
            gate.release(1000);
            late.awaitEnd();
            early.awaitEnd();

            assertThat(steps).startsWith("0 of 1").contains("1 of 10", "1 of 5", "2 of 2", "1 of 1");
        }
    }

    @Test
    void aShortPromptIsComputedAtOnceBesideALongOne() {
        try (EngineHarness harness = EngineHarness.hashing(4, 10, 400)) {
            Semaphore gate = gated(harness);
            Recorder lengthy = harness.run(request("lengthy", 1, prompt(1, 300)));
            gate.release(1);
            Recorder.await(lengthy.firstProgress);
            Recorder brief = harness.run(request("brief", 1, prompt(2, 3)));
            gate.release(2);

            assertThat(brief.completed().usage()).isEqualTo(new Usage(3, 1, 0));
            assertThat(lengthy.events).allMatch(GenerationEvent.PromptProgress.class::isInstance);
            gate.release(1000);
            lengthy.awaitEnd();
        }
    }

    @Test
    void promptProgressRisesToTheEndOfThePrompt() {
        try (EngineHarness harness = EngineHarness.hashing(1, 4, 40)) {
            Recorder recorder = harness.run(request("r", 1, prompt(1, 11)));
            recorder.awaitEnd();

            assertThat(recorder.events).startsWith(new GenerationEvent.PromptProgress(4, 11), new GenerationEvent.PromptProgress(8, 11));
            assertThat(recorder.events).filteredOn(GenerationEvent.PromptProgress.class::isInstance).hasSize(2);
        }
    }

    @Test
    void moreThanMaxActiveWaitTheirTurnInOrder() {
        try (EngineHarness harness = EngineHarness.hashing(2, 4, 60)) {
            List<Recorder> recorders = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                recorders.add(harness.run(request("r" + i, 20, prompt(i, 5))));
            }
            recorders.forEach(Recorder::completed);

            assertThat(harness.model.steps()).allMatch(step -> step.length <= 2 && Arrays.stream(step).sum() <= 4);
        }
    }

    @Test
    void aSequenceThatFindsNoRoomForItsStateWaitsForIt() {
        FakeModel model = new FakeModel(EngineHarness.VOCABULARY, 100, FakeModel.byHash(EngineHarness.VOCABULARY));
        EngineOptions options = new EngineOptions(4, 8, 100);
        // 12 pages of 4 tokens: a prompt of 40 tokens leaves room for none other of that length.
        try (EngineHarness harness = new EngineHarness(model, TestTokenizer.ofSize(EngineHarness.VOCABULARY), options, 4, 12)) {
            List<Recorder> recorders = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                recorders.add(harness.run(request("r" + i, 4, prompt(i, 40))));
            }

            recorders.forEach(Recorder::completed);
            assertThat(harness.model.steps()).allMatch(step -> step.length == 1);
        }
    }

    @Test
    void aSequenceThatCanNeverHaveItsStateIsRefusedWithTheNumbers() {
        FakeModel model = new FakeModel(EngineHarness.VOCABULARY, 100, FakeModel.byHash(EngineHarness.VOCABULARY));
        try (EngineHarness harness = new EngineHarness(model, TestTokenizer.ofSize(EngineHarness.VOCABULARY), new EngineOptions(4, 8, 100),
                4, 12)) {
            assertThatThrownBy(() -> harness.run(request("long", 80, prompt(1, 20)))).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("20 tokens and 80 more take " + harness.pool.bytesFor(99) + " bytes")
                    .hasMessageContaining("only " + harness.pool.bytesFor(48)).hasMessageContaining("49 tokens");
            harness.run(request("longest", 29, prompt(1, 20))).completed();
        }
    }

    @Test
    void theSnapshotCountsStepsAndTokens() {
        try (EngineHarness harness = EngineHarness.hashing(2, 4, 60)) {
            harness.run(request("r", 6, prompt(1, 9))).awaitEnd();
            harness.engine.close();
            EngineSnapshot snapshot = harness.engine.snapshot();

            assertThat(snapshot.steps()).isEqualTo(3 + 5);
            assertThat(snapshot.promptTokens()).isEqualTo(9);
            assertThat(snapshot.generatedTokens()).isEqualTo(6);
            assertThat(snapshot.stepRows()).isEqualTo(1);
            assertThat(snapshot.active()).isZero();
            assertThat(snapshot.waiting()).isZero();
            assertThat(snapshot.lastStepNanos()).isPositive();
        }
    }

    @Test
    void warmUpComputesItsTokensAndIsNotCounted() {
        FakeModel model = new FakeModel(EngineHarness.VOCABULARY, 100, FakeModel.byHash(EngineHarness.VOCABULARY));
        try (EngineHarness harness = new EngineHarness(model, TestTokenizer.ofSize(EngineHarness.VOCABULARY),
                new EngineOptions(2, 8, 100, 20))) {
            harness.engine.warmUp();

            assertThat(model.steps().stream().mapToInt(step -> step[0]).sum()).isEqualTo(8 + 11);
            assertThat(harness.engine.snapshot().generatedTokens()).isZero();
            assertThat(harness.engine.snapshot().promptTokens()).isZero();
        }
    }

    @Test
    void noWarmUpTokensMeanNoWarmUp() {
        FakeModel model = new FakeModel(5, 100, FakeModel.byHash(5));
        try (EngineHarness harness = new EngineHarness(model, TestTokenizer.ofSize(5), new EngineOptions(2, 8, 100, 0))) {
            harness.engine.warmUp();

            assertThat(model.steps()).isEmpty();
        }
    }

    private static Semaphore gated(EngineHarness harness) {
        Semaphore gate = new Semaphore(0);
        harness.model.beforeEachStep(_ -> gate.acquireUninterruptibly());
        return gate;
    }
}

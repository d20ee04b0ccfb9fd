package dev.ringside.engine;

import static dev.ringside.engine.EngineHarness.prompt;
import static dev.ringside.engine.EngineHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.GenerationException.Kind;
import dev.ringside.expert.ExpertReadException;
import dev.ringside.gpu.DeviceException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailureIsolationTest {

    /** Prompts of the other requests and all texts leave this token out. */
    private static final int CURSED = EngineHarness.VOCABULARY - 1;

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 5})
    void onlyTheRequestWhoseExpertCannotBeReadFails(int guilty) {
        List<String> expected = new ArrayList<>();
        try (EngineHarness harness = EngineHarness.hashing(1, 6, 200)) {
            for (int i = 0; i < 6; i++) {
                expected.add(harness.run(request("r" + i, 25, prompt(i, 10 + i))).awaitEnd().text());
            }
        }
        try (EngineHarness harness = EngineHarness.hashing(6, 24, 200)) {
            harness.model.beforeEachStep(rows -> {
                if (FakeModel.holds(rows, CURSED)) {
                    throw new ExpertReadException(3, 17, "model.gguf", 4096, "input/output error", null);
                }
            });
            List<Recorder> recorders = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                int[] prompt = prompt(i, 10 + i);
                if (i == guilty) {
                    prompt[prompt.length - 2] = CURSED;
                }
                recorders.add(harness.run(request("r" + i, 25, prompt)));
            }

            GenerationException failure = recorders.get(guilty).failure();
            assertThat(failure.kind()).isEqualTo(Kind.EXPERT_IO);
            assertThat(failure).hasMessageContaining("expert 17 of layer 3").hasMessageContaining("model.gguf");
            for (int i = 0; i < 6; i++) {
                if (i != guilty) {
                    recorders.get(i).completed();
                    assertThat(recorders.get(i).text()).as("request %d", i).isEqualTo(expected.get(i));
                }
            }
            assertThat(harness.engine.snapshot().failures()).isEqualTo(1);
            assertThat(harness.engine.snapshot().lastFailure()).contains("expert 17");
        }
    }

    @Test
    void aPassingFaultOfASharedStepHarmsNobody() {
        try (EngineHarness harness = EngineHarness.hashing(4, 16, 100)) {
            AtomicInteger faults = new AtomicInteger();
            harness.model.beforeEachStep(rows -> {
                if (rows.segments() > 1 && faults.getAndIncrement() % 3 == 0) {
                    throw new DeviceException("launch failed");
                }
            });
            List<Recorder> recorders = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                recorders.add(harness.run(request("r" + i, 30, prompt(i, 5))));
            }
            recorders.forEach(Recorder::completed);
        }
    }

    @Test
    void whatEveryRequestMeetsFailsThemAllAndTheEngineLivesOn() {
        try (EngineHarness harness = EngineHarness.hashing(4, 16, 100)) {
            harness.model.beforeEachStep(_ -> {
                throw new DeviceException("the device fell off the bus");
            });
            List<Recorder> recorders = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                recorders.add(harness.run(request("r" + i, 30, prompt(i, 5))));
            }

            assertThat(recorders).allSatisfy(each -> assertThat(each.failure().kind()).isEqualTo(Kind.DEVICE));
            assertThat(harness.engine.snapshot().consecutiveFailedSteps()).isGreaterThanOrEqualTo(4);
            harness.model.beforeEachStep(_ -> {
            });
            harness.run(request("next", 3, 1)).completed();
            assertThat(harness.engine.snapshot().consecutiveFailedSteps()).isZero();
        }
    }

    @Test
    void nanLogitsFailOnlyTheRequestThatGotThem() {
        try (EngineHarness harness = EngineHarness.hashing(2, 16, 100)) {
            harness.model.poison(CURSED);
            Recorder poisoned = harness.run(request("poisoned", 10, 1, 2, CURSED));
            Recorder healthy = harness.run(request("healthy", 10, 1, 2, 3));

            assertThat(poisoned.failure().kind()).isEqualTo(Kind.INVALID_LOGITS);
            healthy.completed();
        }
    }

    @Test
    void aFaultThatArrivesWrappedIsRecognised() {
        try (EngineHarness harness = EngineHarness.hashing(2, 16, 100)) {
            harness.model.beforeEachStep(_ -> {
                throw new CompletionException(new ExpertReadException(1, 2, null, ExpertReadException.NO_OFFSET, "gone", null));
            });

            assertThat(harness.run(request("r", 1, 1)).failure().kind()).isEqualTo(Kind.EXPERT_IO);
        }
    }

    @Test
    void anErrorInAStepIsAFailureOfTheRequestToo() {
        try (EngineHarness harness = EngineHarness.hashing(2, 16, 100)) {
            harness.model.beforeEachStep(rows -> {
                if (FakeModel.holds(rows, CURSED)) {
                    throw new InternalError("a fault occurred in an unsafe memory access operation");
                }
            });

            assertThat(harness.run(request("r", 1, CURSED)).failure().kind()).isEqualTo(Kind.INTERNAL);
            harness.run(request("next", 3, 1)).completed();
        }
    }

    @Test
    void aListenerThatThrowsEndsItsOwnRequestOnly() {
        try (EngineHarness harness = EngineHarness.hashing(2, 16, 100)) {
            Recorder broken = new Recorder() {
                @Override
                public void onEvent(GenerationEvent event) {
                    throw new IllegalStateException("sink is gone");
                }
            };
            harness.engine.submit(request("broken", 50, 1), broken);
            Recorder other = harness.run(request("other", 50, 2));

            assertThat(broken.failure().kind()).isEqualTo(Kind.LISTENER);
            other.completed();
            assertThat(harness.pool.freeSequences()).isEqualTo(2);
        }
    }

    @Test
    void aListenerThatThrowsAtTheEndHarmsNobody() {
        try (EngineHarness harness = EngineHarness.hashing(1, 16, 100)) {
            CountDownLatch completed = new CountDownLatch(1);
            GenerationListener broken = new GenerationListener() {
                @Override
                public void onEvent(GenerationEvent event) {
                    if (event instanceof GenerationEvent.Completed) {
                        completed.countDown();
                        throw new IllegalStateException("sink is gone");
                    }
                }

                @Override
                public void onFailure(GenerationException failure) {
                    throw new AssertionError(failure);
                }

                @Override
                public void onCancelled() {
                    throw new AssertionError();
                }
            };
            harness.engine.submit(request("broken", 3, 1), broken);
            Recorder.await(completed);

            harness.run(request("next", 3, 1)).completed();
        }
    }
}

package dev.ringside.engine;

import static dev.ringside.engine.EngineHarness.prompt;
import static dev.ringside.engine.EngineHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

class CancellationTest {

    @Test
    void aCancelledPromptFreesItsPlaceAtTheNextStep() {
        try (EngineHarness harness = EngineHarness.hashing(1, 4, 4000)) {
            Semaphore gate = new Semaphore(1);
            harness.model.beforeEachStep(_ -> gate.acquireUninterruptibly());
            Recorder recorder = new Recorder();
            Generation generation = harness.engine.submit(request("long", 1, prompt(1, 3000)), recorder);
            Recorder.await(recorder.firstProgress);
            generation.cancel();
            gate.release(1);

            assertThat(recorder.cancelled()).isTrue();
            assertThat(harness.pool.freeSequences()).isEqualTo(1);
            assertThat(harness.model.steps()).hasSizeLessThanOrEqualTo(2);
        }
    }

    @Test
    void aStepThatNobodyWaitsForIsLeftBetweenTwoLayers() {
        try (EngineHarness harness = EngineHarness.hashing(1, 4, 4000)) {
            CountDownLatch inStep = new CountDownLatch(1);
            CountDownLatch cancelled = new CountDownLatch(1);
            harness.model.beforeEachStep(_ -> {
                inStep.countDown();
                Recorder.await(cancelled);
            });
            Recorder recorder = new Recorder();
            Generation generation = harness.engine.submit(request("long", 1, prompt(1, 3000)), recorder);
            Recorder.await(inStep);
            generation.cancel();
            cancelled.countDown();

            assertThat(recorder.cancelled()).isTrue();
            assertThat(harness.model.steps()).as("steps that were computed to their end").isEmpty();
            assertThat(harness.engine.snapshot().failures()).isZero();
            assertThat(harness.engine.snapshot().consecutiveFailedSteps()).isZero();
            assertThat(harness.run(request("next", 3, prompt(1, 5))).completed().usage().completionTokens()).isEqualTo(3);
        }
    }

    @Test
    void aStepThatSomebodyElseWaitsForGoesOn() {
        try (EngineHarness harness = EngineHarness.hashing(2, 8, 400)) {
            Semaphore gate = new Semaphore(0);
            harness.model.beforeEachStep(_ -> gate.acquireUninterruptibly());
            Recorder dropped = new Recorder();
            Generation generation = harness.engine.submit(request("dropped", 300, prompt(1, 30)), dropped);
            Recorder kept = harness.run(request("kept", 5, prompt(2, 3)));
            gate.release(3);
            Recorder.await(kept.firstText);
            generation.cancel();
            gate.release(1000);

            assertThat(dropped.cancelled()).isTrue();
            assertThat(kept.completed().usage().completionTokens()).isEqualTo(5);
        }
    }

    @Test
    void aGenerationAskedToFinishEndsWithWhatItHas() {
        try (EngineHarness harness = EngineHarness.hashing(1, 4, 1000)) {
            Semaphore gate = new Semaphore(3);
            harness.model.beforeEachStep(_ -> gate.acquireUninterruptibly());
            Recorder recorder = new Recorder();
            Generation generation = harness.engine.submit(request("long", 900, 1), recorder);
            Recorder.await(recorder.firstText);
            generation.finish();
            gate.release(1000);

            GenerationEvent.Completed end = recorder.completed();
            assertThat(end.reason()).isEqualTo(FinishReason.LENGTH);
            assertThat(end.usage().completionTokens()).isBetween(1, 5);
            assertThat(recorder.text()).isNotEmpty();
        }
    }

    @Test
    void aGenerationAskedToFinishBeforeItsFirstTokenIsCancelled() {
        try (EngineHarness harness = EngineHarness.hashing(1, 4, 4000)) {
            Semaphore gate = new Semaphore(1);
            harness.model.beforeEachStep(_ -> gate.acquireUninterruptibly());
            Recorder recorder = new Recorder();
            Generation generation = harness.engine.submit(request("long", 1, prompt(1, 3000)), recorder);
            Recorder.await(recorder.firstProgress);
            generation.finish();
            gate.release(1000);

            assertThat(recorder.cancelled()).isTrue();
        }
    }

    @Test
    void aCancelledStreamFreesItsPlaceForTheNext() {
        try (EngineHarness harness = EngineHarness.hashing(1, 4, 1000)) {
            Semaphore gate = new Semaphore(3);
            harness.model.beforeEachStep(_ -> gate.acquireUninterruptibly());
            Recorder recorder = new Recorder();
            Generation generation = harness.engine.submit(request("long", 900, 1), recorder);
            Recorder.await(recorder.firstText);
            Recorder next = harness.run(request("next", 3, 1));
            generation.cancel();
            gate.release(1000);

            assertThat(recorder.cancelled()).isTrue();
            assertThat(next.completed().usage().completionTokens()).isEqualTo(3);
        }
    }

    @Test
    void aRequestCancelledWhileItWaitsNeverRuns() {
        try (EngineHarness harness = EngineHarness.hashing(1, 4, 1000)) {
            Semaphore gate = new Semaphore(0);
            harness.model.beforeEachStep(_ -> gate.acquireUninterruptibly());
            Recorder first = harness.run(request("first", 2, 1));
            Recorder waiting = new Recorder();
            Generation generation = harness.engine.submit(request("waiting", 2, prompt(1, 3)), waiting);
            generation.cancel();
            gate.release(100);

            assertThat(waiting.cancelled()).isTrue();
            first.completed();
            assertThat(waiting.events).isEmpty();
            assertThat(harness.engine.snapshot().promptTokens()).isEqualTo(1);
        }
    }

    @Test
    void cancellingWhatHasEndedDoesNothing() {
        try (EngineHarness harness = EngineHarness.hashing(1, 4, 100)) {
            Recorder recorder = new Recorder();
            Generation generation = harness.engine.submit(request("r", 2, 1), recorder);
            recorder.completed();
            generation.cancel();
            generation.cancel();

            harness.run(request("next", 2, 1)).completed();
            assertThat(recorder.awaitEnd().cancelled()).isFalse();
        }
    }

    @Test
    void othersGoOnUndisturbedWhenOneIsCancelled() {
        String expected;
        try (EngineHarness harness = EngineHarness.hashing(1, 8, 400)) {
            expected = harness.run(request("r", 60, prompt(2, 10))).awaitEnd().text();
        }
        try (EngineHarness harness = EngineHarness.hashing(3, 8, 400)) {
            Semaphore gate = new Semaphore(0);
            harness.model.beforeEachStep(_ -> gate.acquireUninterruptibly());
            Recorder dropped = new Recorder();
            Generation generation = harness.engine.submit(request("dropped", 300, prompt(1, 30)), dropped);
            Recorder kept = harness.run(request("kept", 60, prompt(2, 10)));
            gate.release(8);
            Recorder.await(kept.firstText);
            generation.cancel();
            gate.release(1000);

            assertThat(dropped.cancelled()).isTrue();
            assertThat(kept.awaitEnd().text()).isEqualTo(expected);
        }
    }

    @Test
    void closingEndsWhatRunsAndWhatWaits() {
        EngineHarness harness = EngineHarness.hashing(1, 4, 1000);
        Semaphore gate = new Semaphore(3);
        harness.model.beforeEachStep(_ -> gate.acquireUninterruptibly());
        Recorder running = harness.run(request("running", 900, 1));
        Recorder waiting = harness.run(request("waiting", 900, 1));
        Recorder.await(running.firstText);
        harness.engine.close(Duration.ZERO);
        gate.release(1000);
        harness.engine.close();

        assertThat(running.failure().kind()).isEqualTo(GenerationException.Kind.SHUTDOWN);
        assertThat(waiting.failure().kind()).isEqualTo(GenerationException.Kind.SHUTDOWN);
        assertThat(harness.engine.snapshot().alive()).isFalse();
        assertThat(harness.engine.snapshot().waiting()).isZero();
        assertThat(harness.pool.freeSequences()).isEqualTo(1);
        assertThat(harness.backend.memory().pinnedBytes()).isZero();
        harness.close();
    }

    @Test
    void aClosedEngineTakesNoRequests() {
        EngineHarness harness = EngineHarness.hashing(1, 4, 100);
        harness.close();

        assertThatThrownBy(() -> harness.engine.submit(request("r", 1, 1), new Recorder()))
                .isInstanceOfSatisfying(GenerationException.class, e -> assertThat(e.kind()).isEqualTo(GenerationException.Kind.SHUTDOWN));
    }

    @Test
    void closingDoesNotWaitForeverForAStep() {
        EngineHarness harness = EngineHarness.hashing(1, 4, 100);
        CountDownLatch inStep = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        harness.model.beforeEachStep(_ -> {
            inStep.countDown();
            Recorder.await(release);
        });
        Recorder recorder = harness.run(request("r", 5, 1));
        Recorder.await(inStep);

        assertThat(harness.engine.close(Duration.ofMillis(1))).isFalse();
        release.countDown();
        assertThat(recorder.failure().kind()).isEqualTo(GenerationException.Kind.SHUTDOWN);
        harness.close();
    }

    @Test
    void aListenerMayCloseTheEngine() {
        EngineHarness harness = EngineHarness.hashing(1, 4, 100);
        Recorder recorder = new Recorder() {
            @Override
            public void onEvent(GenerationEvent event) {
                super.onEvent(event);
                harness.engine.close();
            }
        };
        harness.engine.submit(request("r", 50, 1), recorder);

        assertThat(recorder.failure().kind()).isEqualTo(GenerationException.Kind.SHUTDOWN);
        harness.close();
    }
}

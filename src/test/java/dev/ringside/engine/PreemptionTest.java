package dev.ringside.engine;

import static dev.ringside.engine.EngineHarness.prompt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.sequence.StateBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Batch requests that run make way for interactive ones. */
class PreemptionTest {

    private static final int PATIENT = 90;

    private final List<String> ends = new CopyOnWriteArrayList<>();

    private static EngineHarness harness(int maxActive, int pages) {
        return new EngineHarness(new FakeModel(EngineHarness.VOCABULARY, 200, FakeModel.byHash(EngineHarness.VOCABULARY)),
                TestTokenizer.ofSize(EngineHarness.VOCABULARY), new EngineOptions(maxActive, 16, 200), new StateBudget(maxActive, 3, pages),
                null);
    }

    /** Runs a batch request, and the others from a certain step on. */
    private List<Recorder> run(EngineHarness harness, int fromStep, GenerationRequest... others) {
        List<Recorder> recorders = new ArrayList<>();
        recorders.add(new Ending("batch"));
        for (GenerationRequest other : others) {
            recorders.add(new Ending(other.id()));
        }
        AtomicInteger steps = new AtomicInteger();
        // On the engine's own thread: so it is the same step every time.
        harness.model.beforeEachStep(_ -> {
            if (steps.incrementAndGet() == fromStep) {
                for (int i = 0; i < others.length; i++) {
                    harness.engine.submit(others[i], recorders.get(i + 1));
                }
            }
        });
        harness.engine.submit(of("batch", Priority.BATCH, PATIENT, 10), recorders.getFirst());
        recorders.forEach(Recorder::awaitEnd);
        return recorders;
    }

    private static GenerationRequest of(String id, Priority priority, int maxTokens, int promptTokens) {
        GenerationRequest plain = EngineHarness.request(id, maxTokens, prompt(promptTokens, promptTokens));
        return new GenerationRequest(id, plain.prompt(), plain.sampling(), maxTokens, List.of(), false, plain.boundaries(),
                GenerationRequest.NO_LOGPROBS, null, priority, null);
    }

    private static String alone(int maxTokens, int promptTokens) {
        try (EngineHarness harness = EngineHarness.hashing(1, 16, 200)) {
            return harness.run(of("alone", Priority.INTERACTIVE, maxTokens, promptTokens)).awaitEnd().text();
        }
    }

    @Test
    void aPlaceIsTakenFromABatchRequest() {
        try (EngineHarness harness = harness(1, 60)) {
            List<Recorder> recorders = run(harness, 40, of("quick", Priority.INTERACTIVE, 5, 7));

            assertThat(ends).containsExactly("quick", "batch");
            assertThat(harness.engine.snapshot().suspensions()).isEqualTo(1);
            assertThat(recorders.getFirst().text()).isEqualTo(alone(PATIENT, 10));
            assertThat(recorders.getLast().text()).isEqualTo(alone(5, 7));
        }
    }

    @Test
    void memoryIsTakenFromABatchRequest() {
        // At 50 tokens it holds 13 of 30 pages of 4 tokens; the other one needs 21.
        try (EngineHarness harness = harness(2, 30)) {
            List<Recorder> recorders = run(harness, 40, of("quick", Priority.INTERACTIVE, 5, 80));

            assertThat(ends).containsExactly("quick", "batch");
            assertThat(harness.engine.snapshot().suspensions()).isEqualTo(1);
            assertThat(recorders.getFirst().text()).isEqualTo(alone(PATIENT, 10));
            assertThat(recorders.getLast().text()).isEqualTo(alone(5, 80));
            assertThat(harness.pool.freePages()).isEqualTo(30);
        }
    }

    @Test
    void aBatchRequestHasItsMinimumRunFirst() {
        try (EngineHarness harness = harness(1, 60)) {
            Ending batch = new Ending("batch");
            AtomicInteger before = new AtomicInteger(-1);
            Recorder quick = new Recorder() {
                @Override
                public void onEvent(GenerationEvent event) {
                    before.compareAndSet(-1, batch.deliveredTokens());
                    super.onEvent(event);
                }
            };
            AtomicInteger steps = new AtomicInteger();
            harness.model.beforeEachStep(_ -> {
                if (steps.incrementAndGet() == 3) {
                    harness.engine.submit(of("quick", Priority.INTERACTIVE, 5, 7), quick);
                }
            });
            harness.engine.submit(of("batch", Priority.BATCH, PATIENT, 10), batch);
            quick.awaitEnd();
            batch.awaitEnd();

            assertThat(before.get()).isEqualTo(Residency.MINIMUM_RUN);
        }
    }

    @Test
    void severalGiveWayWhenOneIsNotEnoughAndTheOldestGoesOnFirst() {
        try (EngineHarness harness = harness(3, 30)) {
            run(harness, 1, of("batch2", Priority.BATCH, PATIENT, 11));
            ends.clear();
            AtomicInteger steps = new AtomicInteger();
            Ending quick = new Ending("quick");
            harness.model.beforeEachStep(_ -> {
                if (steps.incrementAndGet() == 36) {
                    harness.engine.submit(of("quick", Priority.INTERACTIVE, 5, 100), quick);
                }
            });
            Ending one = new Ending("one");
            Ending two = new Ending("two");
            harness.engine.submit(of("one", Priority.BATCH, 60, 10), one);
            harness.engine.submit(of("two", Priority.BATCH, 60, 11), two);
            quick.awaitEnd();
            one.awaitEnd();
            two.awaitEnd();

            assertThat(ends.getFirst()).isEqualTo("quick");
            assertThat(one.text()).isEqualTo(alone(60, 10));
            assertThat(two.text()).isEqualTo(alone(60, 11));
        }
    }

    @Test
    void aBatchRequestIsHeldUpForAMinuteAtMost() {
        assertThat(endsWhenSuspendedFor(Residency.PATIENCE_NANOS - 1)).containsExactly("quick", "later", "batch");
        assertThat(endsWhenSuspendedFor(Residency.PATIENCE_NANOS)).containsExactly("quick", "batch", "later");
    }

    /** A batch request makes way for one, and another one comes meanwhile. */
    private List<String> endsWhenSuspendedFor(long nanos) {
        ends.clear();
        AtomicLong now = new AtomicLong();
        try (EngineHarness harness = EngineHarness.clocked(
                new FakeModel(EngineHarness.VOCABULARY, 200, FakeModel.byHash(EngineHarness.VOCABULARY)),
                TestTokenizer.ofSize(EngineHarness.VOCABULARY), new EngineOptions(1, 16, 200), new StateBudget(1, 3, 60), now::get)) {
            Ending batch = new Ending("batch");
            Ending quick = new Ending("quick");
            Ending later = new Ending("later");
            AtomicInteger steps = new AtomicInteger();
            harness.model.beforeEachStep(_ -> {
                int step = steps.incrementAndGet();
                if (step == 40) {
                    harness.engine.submit(of("quick", Priority.INTERACTIVE, 20, 7), quick);
                } else if (step == 45) {
                    harness.engine.submit(of("later", Priority.INTERACTIVE, 5, 8), later);
                    now.addAndGet(nanos);
                }
            });
            harness.engine.submit(of("batch", Priority.BATCH, PATIENT, 10), batch);
            quick.awaitEnd();
            later.awaitEnd();
            batch.awaitEnd();
            assertThat(harness.engine.snapshot().suspensions()).isEqualTo(1);
            assertThat(batch.text()).isEqualTo(alone(PATIENT, 10));
        }
        return List.copyOf(ends);
    }

    @Test
    void batchRequestsWaitForEachOther() {
        try (EngineHarness harness = harness(1, 60)) {
            run(harness, 40, of("other", Priority.BATCH, 5, 7));

            assertThat(ends).containsExactly("batch", "other");
            assertThat(harness.engine.snapshot().suspensions()).isZero();
        }
    }

    @Test
    void nobodyIsSuspendedWhereThatWouldNotBeEnough() {
        try (EngineHarness harness = harness(2, 60)) {
            Ending busy = new Ending("busy");
            harness.engine.submit(of("busy", Priority.INTERACTIVE, 150, 12), busy);
            busy.firstText();
            // Its prompt takes 45 pages; those of the batch request would not do beside the other's.
            run(harness, 40, of("large", Priority.INTERACTIVE, 5, 180));
            busy.awaitEnd();

            assertThat(ends).contains("busy", "batch", "large");
            assertThat(harness.engine.snapshot().failures()).isZero();
        }
    }

    private final class Ending extends Recorder {

        private final String id;

        Ending(String id) {
            this.id = id;
        }

        void firstText() {
            await(firstText);
        }

        @Override
        public void onEvent(GenerationEvent event) {
            if (event instanceof GenerationEvent.Completed) {
                ends.add(id);
            }
            super.onEvent(event);
        }
    }
}

package dev.ringside.serving;

import static dev.ringside.serving.SchedulerHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringside.engine.EngineHarness;
import dev.ringside.engine.GenerationEvent.Completed;
import dev.ringside.engine.GenerationEvent.PromptProgress;
import dev.ringside.engine.GenerationEvent.TextDelta;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Clients that leave and clients that are slow. */
class ClientBehaviourTest {

    @Test
    void aClientThatLeavesTheQueueGivesItsPlaceBackAtOnce() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 1)) {
            harness.hold();
            Client running = Client.of(harness.scheduler.generate(request(1, 2)));
            Client waiting = Client.of(harness.scheduler.generate(request(2, 2)));
            waiting.cancel();

            assertThat(harness.scheduler.snapshot().queued()).isZero();
            assertThat(harness.scheduler.snapshot().cancelled()).isEqualTo(1);
            Client next = Client.of(harness.scheduler.generate(request(3, 2)));
            harness.letGo();
            running.completed();
            next.completed();
            assertThat(waiting.events).isEmpty();
            assertThat(harness.engine.engine.snapshot().promptTokens())
                    .isEqualTo(request(1, 2).prompt().length + request(3, 2).prompt().length);
        }
    }

    @Test
    void aClientThatLeavesWhileItsTextComesFreesTheSlot() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 1)) {
            harness.hold();
            harness.letGo(5);
            Client leaving = Client.of(harness.scheduler.generate(request(1, 9_000))).awaitFirst();
            Client next = Client.of(harness.scheduler.generate(request(2, 3)));
            leaving.cancel();
            harness.letGo();

            next.completed();
            assertThat(harness.engine.engine.snapshot().generatedTokens()).isLessThan(20);
            assertThat(harness.scheduler.snapshot().cancelled()).isEqualTo(1);
            assertThat(harness.bulkhead.getMetrics().getAvailableConcurrentCalls()).isEqualTo(2);
        }
    }

    @Test
    void aClientThatLeavesInALongPromptFreesTheSlot() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 1)) {
            harness.hold();
            harness.letGo(2);
            Client leaving = Client.of(harness.scheduler.generate(EngineHarness.request("long", 1, EngineHarness.prompt(1, 9_000))))
                    .awaitFirst();
            leaving.cancel();
            harness.letGo();

            Client.of(harness.scheduler.generate(request(2, 3))).completed();
            assertThat(harness.engine.engine.snapshot().promptTokens()).isLessThan(100);
        }
    }

    @Test
    void aClientThatLeavesBeforeTheFirstStepIsForgotten() {
        try (SchedulerHarness harness = new SchedulerHarness(2, 2)) {
            for (int i = 0; i < 200; i++) {
                Client.of(harness.scheduler.generate(request(i % 7, 1000))).cancel();
            }

            await().atMost(SchedulerHarness.PATIENCE).until(() -> harness.scheduler.snapshot().active() == 0);
            assertThat(harness.run(request(1, 3))).isNotEmpty();
            assertThat(harness.bulkhead.getMetrics().getAvailableConcurrentCalls()).isEqualTo(4);
        }
    }

    @Test
    void aSlowClientGetsEverythingInFewPieces() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 1)) {
            String expected = SchedulerHarness.text(harness.run(request(1, 500)));
            Client slow = Client.of(harness.scheduler.generate(request(1, 500)), 0);
            Client.of(harness.scheduler.generate(request(2, 1))).completed();

            assertThat(harness.bulkhead.getMetrics().getAvailableConcurrentCalls()).as("its place is free").isEqualTo(2);
            assertThat(slow.events).isEmpty();
            slow.request(2);
            slow.request(10);
            assertThat(slow.completed().usage().completionTokens()).isEqualTo(500);
            assertThat(SchedulerHarness.text(slow.events)).isEqualTo(expected);
            assertThat(slow.events).hasSizeLessThanOrEqualTo(4);
            assertThat(slow.events.stream().filter(TextDelta.class::isInstance).mapToInt(each -> ((TextDelta) each).tokens()).sum())
                    .isEqualTo(500);
        }
    }

    @Test
    void aSlowClientDoesNotHoldUpOthers() {
        try (SchedulerHarness harness = new SchedulerHarness(2, 0)) {
            Client slow = Client.of(harness.scheduler.generate(request(1, 5_000)), 1);
            for (int i = 0; i < 20; i++) {
                assertThat(harness.run(request(2, 20))).isNotEmpty();
            }
            slow.cancel();
        }
    }

    @Test
    void anEventComesOnlyWhenAskedFor() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 1)) {
            Client slow = Client.of(harness.scheduler.generate(request(1, 50)), 1);
            Client.of(harness.scheduler.generate(request(2, 1))).completed();
            slow.awaitFirst();

            assertThat(slow.events).hasSize(1);
            slow.request(100);
            assertThat(slow.awaitEnd().events.getLast()).isInstanceOf(Completed.class);
        }
    }

    @Test
    void anErrorComesBehindTheTextThatWasReady() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            harness.hold();
            Client slow = Client.of(harness.scheduler.generate(request(1, 500)), 0);
            harness.letGo(5);
            await().atMost(SchedulerHarness.PATIENCE).until(() -> harness.engine.engine.snapshot().steps() == 5);
            harness.engine.model.beforeEachStep(_ -> {
                throw new IllegalStateException("broken");
            });
            harness.letGo(1);
            slow.request(100);

            assertThat(slow.failure()).isInstanceOf(GenerationFailedException.class);
            assertThat(SchedulerHarness.text(slow.events)).isNotEmpty();
        }
    }

    @Test
    void progressInThePromptIsReported() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            List<?> events = harness.run(EngineHarness.request("r", 1, EngineHarness.prompt(1, 40)));

            assertThat(events.getFirst()).isInstanceOf(PromptProgress.class);
        }
    }
}

package dev.ringside.serving;

import static dev.ringside.serving.SchedulerHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import reactor.test.scheduler.VirtualTimeScheduler;

class ShutdownTest {

    @Test
    void anIdleServerIsDownAtOnce() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 1)) {
            assertThat(harness.scheduler.beginShutdown(Duration.ofHours(1))).succeedsWithin(SchedulerHarness.PATIENCE);
        }
    }

    @Test
    void newRequestsAreRefusedAndThoseAdmittedFinish() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 1)) {
            harness.hold();
            Client running = Client.of(harness.scheduler.generate(request(1, 20)));
            Client waiting = Client.of(harness.scheduler.generate(request(2, 20)));
            CompletableFuture<Void> down = harness.scheduler.beginShutdown(Duration.ofHours(1));

            assertThat(down).isNotDone();
            assertThat(Client.of(harness.scheduler.generate(request(3, 1))).failure()).isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("shutting down");
            harness.letGo();
            running.completed();
            waiting.completed();
            assertThat(down).succeedsWithin(SchedulerHarness.PATIENCE);
            assertThat(harness.scheduler.snapshot().completed()).isEqualTo(2);
        }
    }

    @Test
    void whatIsLeftAtTheDeadlineIsEnded() {
        VirtualTimeScheduler time = VirtualTimeScheduler.create();
        try (SchedulerHarness harness = new SchedulerHarness(1, 1, time)) {
            harness.hold();
            Client running = Client.of(harness.scheduler.generate(request(1, 9_000)));
            harness.awaitHeld();
            Client waiting = Client.of(harness.scheduler.generate(request(2, 20)));
            CompletableFuture<Void> down = harness.scheduler.beginShutdown(Duration.ofSeconds(30));
            time.advanceTimeBy(Duration.ofSeconds(29));
            assertThat(harness.scheduler.snapshot().queued()).isEqualTo(1);

            time.advanceTimeBy(Duration.ofSeconds(2));
            assertThat(harness.scheduler.snapshot().queued()).isZero();
            assertThat(down).isNotDone();
            harness.letGo();
            assertThat(down).succeedsWithin(SchedulerHarness.PATIENCE);
            time.advanceTime();
            assertThat(waiting.failure()).isInstanceOf(UnavailableException.class);
            await().atMost(SchedulerHarness.PATIENCE).until(() -> {
                time.advanceTime();
                return running.hasEnded();
            });
            assertThat(running.failure()).isInstanceOf(UnavailableException.class);
            assertThat(harness.scheduler.snapshot().failed()).isEqualTo(2);
        }
    }

    @Test
    void withoutGraceEverythingEndsNow() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 1)) {
            harness.hold();
            harness.letGo(3);
            Client running = Client.of(harness.scheduler.generate(request(1, 9_000))).awaitFirst();
            Client waiting = Client.of(harness.scheduler.generate(request(2, 9_000)));
            harness.scheduler.beginShutdown(Duration.ZERO);
            harness.letGo();

            assertThat(running.failure()).isInstanceOf(UnavailableException.class);
            assertThat(waiting.failure()).isInstanceOf(UnavailableException.class);
        }
    }

    @Test
    void theEngineCanBeClosedAsSoonAsEverythingHasEnded() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 1)) {
            harness.hold();
            harness.letGo(3);
            Client running = Client.of(harness.scheduler.generate(request(1, 9_000))).awaitFirst();
            CompletableFuture<Boolean> closed = harness.scheduler.beginShutdown(Duration.ofHours(1))
                    .thenApply(_ -> harness.engine.engine.close(SchedulerHarness.PATIENCE));
            running.cancel();
            harness.letGo();

            assertThat(closed).succeedsWithin(SchedulerHarness.PATIENCE).isEqualTo(true);
        }
    }

    @Test
    void aServerThatWentDownDoesNotOpenAgain() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 1)) {
            harness.scheduler.beginShutdown(Duration.ZERO);
            harness.scheduler.open();

            assertThat(harness.scheduler.isAccepting()).isFalse();
        }
    }

    @Test
    void anEngineThatClosesUnderRunningRequestsEndsThem() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 3)) {
            harness.hold();
            harness.letGo(3);
            Client running = Client.of(harness.scheduler.generate(request(1, 9_000))).awaitFirst();
            Client waiting = Client.of(harness.scheduler.generate(request(2, 9_000)));
            harness.engine.engine.close(Duration.ZERO);
            harness.letGo();

            assertThat(running.failure()).isInstanceOf(UnavailableException.class);
            assertThat(waiting.failure()).isInstanceOf(UnavailableException.class);
        }
    }
}

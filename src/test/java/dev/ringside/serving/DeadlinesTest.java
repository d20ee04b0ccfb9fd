package dev.ringside.serving;

import static dev.ringside.serving.SchedulerHarness.request;
import static dev.ringside.serving.SchedulerHarness.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringside.engine.FinishReason;
import dev.ringside.engine.Priority;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.test.scheduler.VirtualTimeScheduler;

class DeadlinesTest {

    private final VirtualTimeScheduler time = VirtualTimeScheduler.create();

    @Test
    void aRequestThatWaitsTooLongForItsFirstTokenLeavesTheQueue() {
        try (SchedulerHarness harness = harness(Duration.ZERO, Duration.ofSeconds(30))) {
            harness.hold();
            Client running = Client.of(harness.scheduler.generate(request(1, 2)));
            time.advanceTimeBy(Duration.ofSeconds(20));
            Client waiting = Client.of(harness.scheduler.generate(request(2, 2)));
            time.advanceTimeBy(Duration.ofSeconds(9));
            assertThat(harness.scheduler.snapshot().queued()).isEqualTo(1);
            time.advanceTimeBy(Duration.ofSeconds(25));

            assertThat(harness.scheduler.snapshot().queued()).isZero();
            assertThat(settled(waiting).failure()).isInstanceOfSatisfying(DeadlineExceededException.class,
                    e -> assertThat(e).hasMessageContaining("30 s").hasMessageContaining("first-token-timeout"));
            harness.letGo();
            assertThat(settled(running).failure()).as("it had no token either").isInstanceOf(DeadlineExceededException.class);
            assertThat(harness.observer.ended).extracting(RequestRecord::error).containsOnly("timeout");
        }
    }

    @Test
    void aRequestWithATokenInTimeIsLeftAlone() {
        try (SchedulerHarness harness = harness(Duration.ZERO, Duration.ofSeconds(30))) {
            harness.hold();
            harness.letGo(1);
            Client client = Client.of(harness.scheduler.generate(request(1, 5)));
            await().atMost(SchedulerHarness.PATIENCE).until(() -> harness.engine.engine.snapshot().generatedTokens() == 1);
            await().atMost(SchedulerHarness.PATIENCE).until(() -> harness.scheduler.requests().getFirst().generated() == 1);
            time.advanceTimeBy(Duration.ofHours(1));
            harness.letGo();

            assertThat(settled(client).completed().usage().completionTokens()).isEqualTo(5);
        }
    }

    @Test
    void anAnswerWhoseTimeIsUpEndsAsIfItWereLongEnough() {
        try (SchedulerHarness harness = harness(Duration.ofSeconds(60), Duration.ZERO)) {
            harness.hold();
            harness.letGo(3);
            Client client = Client.of(harness.scheduler.generate(request(1, 9_000)));
            await().atMost(SchedulerHarness.PATIENCE).until(() -> harness.engine.engine.snapshot().generatedTokens() == 3);
            await().atMost(SchedulerHarness.PATIENCE).until(() -> harness.scheduler.requests().getFirst().generated() == 3);
            time.advanceTimeBy(Duration.ofSeconds(61));
            harness.letGo();

            assertThat(settled(client).completed().reason()).isEqualTo(FinishReason.LENGTH);
            assertThat(client.completed().usage().completionTokens()).isBetween(3, 5);
            assertThat(harness.scheduler.snapshot().completed()).isEqualTo(1);
        }
    }

    @Test
    void aRequestsOwnLimitHoldsWhenItIsShorter() {
        try (SchedulerHarness harness = harness(Duration.ofSeconds(60), Duration.ZERO)) {
            harness.hold();
            Client running = Client.of(harness.scheduler.generate(request(1, 2)));
            Client brief = Client.of(harness.scheduler.generate(with(request(2, 2), Priority.INTERACTIVE, Duration.ofSeconds(5))));
            Client patient = Client.of(harness.scheduler.generate(with(request(3, 2), Priority.INTERACTIVE, Duration.ofHours(5))));
            time.advanceTimeBy(Duration.ofSeconds(6));
            assertThat(harness.scheduler.snapshot().queued()).isEqualTo(1);
            assertThat(settled(brief).failure()).isInstanceOf(DeadlineExceededException.class).hasMessageContaining("5 s");
            time.advanceTimeBy(Duration.ofSeconds(55));

            assertThat(settled(patient).failure()).isInstanceOf(DeadlineExceededException.class).hasMessageContaining("60 s");
            harness.letGo();
            assertThat(settled(running).failure()).isInstanceOf(DeadlineExceededException.class);
        }
    }

    private SchedulerHarness harness(Duration whole, Duration firstToken) {
        return new SchedulerHarness(new SchedulerOptions(1, 5, 0, Duration.ofSeconds(60), whole, firstToken), time, System::nanoTime);
    }

    /** Events come on the scheduler whose time stands still. */
    private Client settled(Client client) {
        await().atMost(SchedulerHarness.PATIENCE).until(() -> {
            time.advanceTime();
            return client.hasEnded();
        });
        return client;
    }
}

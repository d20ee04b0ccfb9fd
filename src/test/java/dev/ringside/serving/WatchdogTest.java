package dev.ringside.serving;

import static dev.ringside.serving.SchedulerHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WatchdogTest {

    private final AtomicLong step = new AtomicLong();
    private final AtomicInteger dumps = new AtomicInteger();
    private final Watchdog watchdog = new Watchdog(step::get, Duration.ofSeconds(120), () -> "dump " + dumps.incrementAndGet());

    @Test
    void stepsThatEndInTimeAreNoBusinessOfIts() {
        look(0);
        look(119);

        assertThat(watchdog.isTripped()).isFalse();
        assertThat(dumps).hasValue(0);
    }

    @Test
    void aStuckStepIsReportedOnce() {
        look(120);
        look(121);
        look(500);

        assertThat(watchdog.stuckSteps()).isEqualTo(1);
        assertThat(dumps).hasValue(1);
    }

    @Test
    void itIsTrippedUntilTheStepEndsAtLast() {
        look(120);
        assertThat(watchdog.isTripped()).isTrue();
        look(0);

        assertThat(watchdog.isTripped()).isFalse();
        assertThat(watchdog.stuckSteps()).isEqualTo(1);
    }

    @Test
    void theNextStuckStepIsReportedToo() {
        look(120);
        look(1);
        look(130);

        assertThat(watchdog.stuckSteps()).isEqualTo(2);
        assertThat(dumps).hasValue(2);
    }

    @Test
    void withoutALimitNothingIsStuck() {
        Watchdog off = new Watchdog(() -> Long.MAX_VALUE, Duration.ZERO);
        off.look();

        assertThat(off.isTripped()).isFalse();
    }

    @Test
    void theStepAtHandOfAnEngineIsSeenWhileItBlocks() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            Watchdog eager = new Watchdog(() -> harness.engine.engine.snapshot().turnNanos(), Duration.ofNanos(1));
            harness.hold();
            Client client = Client.of(harness.scheduler.generate(request(1, 2)));
            await().atMost(SchedulerHarness.PATIENCE).until(() -> {
                eager.look();
                return eager.isTripped();
            });
            harness.letGo();
            client.completed();

            await().atMost(SchedulerHarness.PATIENCE).until(() -> harness.engine.engine.snapshot().turnNanos() == 0);
        }
    }

    @Test
    void theStacksShowTheEngineFirst() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            assertThat(harness.scheduler.isAccepting()).isTrue();
            assertThat(ThreadStacks.all()).startsWith("\"ringside-engine\"").contains("    at ");
        }
    }

    private void look(int seconds) {
        step.set(Duration.ofSeconds(seconds).toNanos());
        watchdog.look();
    }
}

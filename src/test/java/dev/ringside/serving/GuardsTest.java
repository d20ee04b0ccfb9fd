package dev.ringside.serving;

import static dev.ringside.serving.SchedulerHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.EngineHarness;
import dev.ringside.expert.ExpertReadException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class GuardsTest {

    @Test
    void faultsOneAfterAnotherOpenTheBreaker() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            breakExperts(harness);
            for (int i = 0; i < 5; i++) {
                assertThat(Client.of(harness.scheduler.generate(request(1, 1))).failure()).isInstanceOf(GenerationFailedException.class);
            }
            Throwable refusal = Client.of(harness.scheduler.generate(request(1, 1))).failure();

            assertThat(refusal).isInstanceOfSatisfying(UnavailableException.class,
                    e -> assertThat(e.retryAfter()).contains(Duration.ofHours(1)));
            assertThat(harness.scheduler.snapshot().breaker()).isEqualTo("open");
            assertThat(harness.observer.ended).hasSize(6);
            assertThat(harness.observer.ended.getLast().error()).isEqualTo("unavailable");
        }
    }

    @Test
    void itClosesWhenTheNextOnesSucceed() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            breakExperts(harness);
            for (int i = 0; i < 5; i++) {
                Client.of(harness.scheduler.generate(request(1, 1))).failure();
            }
            harness.letGo();
            harness.guards.breaker().transitionToHalfOpenState();

            assertThat(harness.run(request(1, 1))).isNotEmpty();
            assertThat(harness.run(request(1, 1))).isNotEmpty();
            assertThat(harness.scheduler.snapshot().breaker()).isEqualTo("closed");
        }
    }

    @Test
    void refusalsAndRequestsAtFaultDoNotOpenIt() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            for (int i = 0; i < 30; i++) {
                Client.of(harness.scheduler.generate(EngineHarness.request("r", 1, EngineHarness.prompt(1, 10_300)))).failure();
            }
            harness.engine.model.beforeEachStep(_ -> {
                throw new IllegalStateException("a defect");
            });
            for (int i = 0; i < 30; i++) {
                Client.of(harness.scheduler.generate(request(1, 1))).failure();
            }

            assertThat(harness.scheduler.snapshot().breaker()).isEqualTo("closed");
        }
    }

    @Test
    void aPlaceIsFreeAgainAfterEveryEnd() {
        try (SchedulerHarness harness = new SchedulerHarness(2, 2)) {
            breakExperts(harness);
            for (int i = 0; i < 12; i++) {
                Client.of(harness.scheduler.generate(request(1, 1))).failure();
            }

            assertThat(harness.bulkhead.getMetrics().getAvailableConcurrentCalls()).isEqualTo(4);
        }
    }

    private static void breakExperts(SchedulerHarness harness) {
        harness.engine.model.beforeEachStep(_ -> {
            throw new ExpertReadException(3, 17, "model.gguf", 4096, "input/output error", null);
        });
    }
}

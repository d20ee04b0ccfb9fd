package dev.ringside.serving;

import static dev.ringside.serving.SchedulerHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringside.engine.EngineHarness;
import dev.ringside.engine.FinishReason;
import dev.ringside.engine.GenerationRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** What observers and calls hear of requests. */
class AccountingTest {

    @Test
    void aCompleteRequestIsAccountedForInFull() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            harness.run(request(3, 40));

            RequestRecord record = harness.observer.ended.getFirst();
            assertThat(record.id()).isEqualTo("r3");
            assertThat(record.promptTokens()).isEqualTo(8);
            assertThat(record.completionTokens()).isEqualTo(40);
            assertThat(record.finish()).isEqualTo(FinishReason.LENGTH);
            assertThat(record.error()).isNull();
            assertThat(record.firstTokenNanos()).isBetween(record.queuedNanos(), record.totalNanos());
            assertThat(harness.observer.laterTokens.get()).isEqualTo(39);
        }
    }

    @Test
    void everyEndIsReportedOnce() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 1)) {
            harness.hold();
            harness.letGo(3);
            Client running = Client.of(harness.scheduler.generate(request(1, 9_000))).awaitFirst();
            Client waiting = Client.of(harness.scheduler.generate(request(2, 5)));
            Client.of(harness.scheduler.generate(request(3, 5))).failure();
            Client.of(harness.scheduler.generate(EngineHarness.request("empty", 1))).failure();
            waiting.cancel();
            running.cancel();
            harness.letGo();
            await().atMost(SchedulerHarness.PATIENCE).until(() -> harness.observer.ended.size() == 4);

            assertThat(harness.observer.arrived).hasValue(4);
            assertThat(harness.observer.ended).extracting(RequestRecord::error).containsExactly("queue_full", "invalid_value",
                    RequestRecord.CLIENT_LEFT, RequestRecord.CLIENT_LEFT);
            assertThat(harness.observer.ended.getLast().completionTokens()).isPositive();
        }
    }

    @Test
    void aCallIsDoneWhenItsResponseAndAllItsChoicesAre() {
        try (SchedulerHarness harness = new SchedulerHarness(2, 4)) {
            CompletableFuture<RequestScope> done = new CompletableFuture<>();
            RequestScope scope = new RequestScope("call", "chat", () -> "team-a", done::complete);
            Flux.merge(List.of(harness.scheduler.generate(request(1, 5)), harness.scheduler.generate(request(2, 5)),
                    harness.scheduler.generate(request(3, 5)))).contextWrite(scope::in).blockLast(SchedulerHarness.PATIENCE);
            assertThat(done).isNotDone();
            scope.responded(200);

            assertThat(done).isCompletedWithValue(scope);
            assertThat(scope.records()).hasSize(3).allSatisfy(record -> assertThat(record.keyName()).isEqualTo("team-a"));
            assertThat(scope.status()).isEqualTo(200);
        }
    }

    @Test
    void fourCallsOfThreeChoicesFinishOnFourPlaces() {
        try (SchedulerHarness harness = new SchedulerHarness(4, 8)) {
            List<Flux<?>> calls = List.of(call(harness, 1), call(harness, 2), call(harness, 3), call(harness, 4));
            Flux.merge(Flux.fromIterable(calls), 4, 1).blockLast(SchedulerHarness.PATIENCE);

            assertThat(harness.scheduler.snapshot().completed()).isEqualTo(12);
        }
    }

    @Test
    void promptTokensThatWaitAreBounded() {
        SchedulerOptions options = new SchedulerOptions(1, 10, 100, Duration.ofSeconds(60), Duration.ZERO, Duration.ZERO);
        try (SchedulerHarness harness = new SchedulerHarness(options, Schedulers.parallel(), System::nanoTime)) {
            harness.hold();
            Client running = Client.of(harness.scheduler.generate(sized("running", 500)));
            Client waiting = Client.of(harness.scheduler.generate(sized("waiting", 60)));

            assertThat(Client.of(harness.scheduler.generate(sized("refused", 41))).failure()).isInstanceOf(QueueFullException.class)
                    .hasMessageContaining("41").hasMessageContaining("60").hasMessageContaining("100");
            Client small = Client.of(harness.scheduler.generate(sized("small", 40)));
            assertThat(harness.scheduler.snapshot().queuedTokens()).isEqualTo(100);
            harness.letGo();
            running.completed();
            waiting.completed();
            small.completed();
            assertThat(harness.scheduler.snapshot().queuedTokens()).isZero();
            assertThat(harness.bulkhead.getMetrics().getAvailableConcurrentCalls()).isEqualTo(11);
        }
    }

    private static GenerationRequest sized(String id, int tokens) {
        return EngineHarness.request(id, 1, EngineHarness.prompt(1, tokens));
    }

    private static Flux<?> call(SchedulerHarness harness, int number) {
        return Flux.merge(Flux.fromIterable(List.of(harness.scheduler.generate(request(number, 50)),
                harness.scheduler.generate(request(number + 10, 50)), harness.scheduler.generate(request(number + 20, 50)))), 3, 1);
    }
}

package dev.ringside.serving;

import static dev.ringside.serving.SchedulerHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.EngineHarness;
import dev.ringside.engine.GenerationException;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.expert.ExpertReadException;
import dev.ringside.sampling.SamplingParameters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AdmissionTest {

    @Test
    void nothingRunsBeforeSomebodySubscribes() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            harness.scheduler.generate(request(1, 3));

            assertThat(harness.scheduler.snapshot().active()).isZero();
            assertThat(harness.bulkhead.getMetrics().getAvailableConcurrentCalls()).isEqualTo(1);
        }
    }

    @Test
    void eightClientsAtOnceGetTheTextsOfOneAfterAnother() {
        try (SchedulerHarness harness = new SchedulerHarness(4, 4)) {
            List<String> serial = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                serial.add(SchedulerHarness.text(harness.run(request(i, 40))));
            }
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                clients.add(Client.of(harness.scheduler.generate(request(i, 40))));
            }

            assertThat(clients).extracting(each -> SchedulerHarness.text(each.awaitEnd().events)).isEqualTo(serial);
            assertThat(harness.scheduler.snapshot().completed()).isEqualTo(16);
        }
    }

    @Test
    void aFullServerRefusesAndSaysWhenToComeBack() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 2)) {
            harness.hold();
            List<Client> admitted = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                admitted.add(Client.of(harness.scheduler.generate(request(i, 2))));
            }
            Throwable refusal = Client.of(harness.scheduler.generate(request(3, 2))).failure();

            assertThat(refusal).isInstanceOf(QueueFullException.class).hasMessageContaining("1 requests run")
                    .hasMessageContaining("2 wait");
            assertThat(((QueueFullException) refusal).retryAfter())
                    .hasValueSatisfying(wait -> assertThat(wait).isGreaterThanOrEqualTo(Duration.ofSeconds(1)));
            assertThat(harness.scheduler.snapshot().rejected()).isEqualTo(1);
            harness.letGo();
            admitted.forEach(Client::completed);
            assertThat(harness.run(request(4, 2))).isNotEmpty();
        }
    }

    @Test
    void whoComesFirstStartsFirst() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 6)) {
            harness.hold();
            List<Integer> order = new ArrayList<>();
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                int number = i;
                clients.add(Client.of(harness.scheduler.generate(request(i, 2)).doOnTerminate(() -> {
                    synchronized (order) {
                        order.add(number);
                    }
                })));
            }
            assertThat(harness.scheduler.snapshot().queued()).isEqualTo(6);
            for (int i = 0; i < 7; i++) {
                harness.letGo(2);
                clients.get(i).completed();
            }

            assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6);
        }
    }

    @Test
    void aClientThatComesBackAtOnceFindsItsPlaceFree() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            for (int i = 0; i < 300; i++) {
                assertThat(harness.scheduler.generate(request(1, 1)).blockLast(SchedulerHarness.PATIENCE)).isNotNull();
            }
        }
    }

    @Test
    void theTimeInTheQueueCountsAsQueued() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 1)) {
            harness.hold();
            Client first = Client.of(harness.scheduler.generate(request(1, 1)));
            Client second = Client.of(harness.scheduler.generate(request(2, 1)));
            long queued = System.nanoTime();
            long released = System.nanoTime();
            harness.letGo();
            first.completed();

            assertThat(second.completed().timings().queued()).isGreaterThan(released - queued);
        }
    }

    @Test
    void aPromptAsLongAsTheContextIsRefusedWithBothNumbers() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            Throwable refusal = Client.of(harness.scheduler.generate(EngineHarness.request("r", 1, EngineHarness.prompt(1, 10_300))))
                    .failure();

            assertThat(refusal).isInstanceOfSatisfying(PromptTooLongException.class, e -> {
                assertThat(e.promptTokens()).isEqualTo(10_300);
                assertThat(e.contextLength()).isEqualTo(10_000);
            }).hasMessageContaining("10300").hasMessageContaining("10000");
        }
    }

    @Test
    void anEmptyPromptIsRefused() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            assertThat(Client.of(harness.scheduler.generate(EngineHarness.request("r", 1))).failure())
                    .isInstanceOf(InvalidRequestException.class);
        }
    }

    @Test
    void aBiasBeyondTheVocabularyIsRefusedByNameAndTakesNoPlace() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            SamplingParameters biased = new SamplingParameters(1, 1, 0, 0, 0, 0, 1, 0, Map.of(5000, 1f));
            GenerationRequest request = new GenerationRequest("r", new int[] {1}, biased, 1, List.of(), false);

            assertThat(Client.of(harness.scheduler.generate(request)).failure())
                    .isInstanceOfSatisfying(InvalidRequestException.class, e -> assertThat(e.parameter()).contains("logit_bias"));
            assertThat(harness.run(request(1, 2))).isNotEmpty();
        }
    }

    @Test
    void aServerThatIsStillLoadingRefuses() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            RequestScheduler starting = new RequestScheduler(harness.engine.engine, new SchedulerOptions(1, 0), harness.bulkhead);

            assertThat(starting.isAccepting()).isFalse();
            assertThat(Client.of(starting.generate(request(1, 1))).failure()).isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("loaded");
        }
    }

    @Test
    void aServerWhoseEngineHasStoppedRefuses() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            harness.engine.engine.close();

            assertThat(Client.of(harness.scheduler.generate(request(1, 1))).failure()).isInstanceOf(UnavailableException.class);
            assertThat(harness.scheduler.isAccepting()).isFalse();
        }
    }

    @Test
    void anEngineFailureReachesTheClientItConcerns() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 0)) {
            harness.engine.model.beforeEachStep(_ -> {
                throw new ExpertReadException(3, 17, "model.gguf", 4096, "input/output error", null);
            });
            Throwable failure = Client.of(harness.scheduler.generate(request(1, 1))).failure();

            assertThat(failure).isInstanceOfSatisfying(GenerationFailedException.class, e -> {
                assertThat(e.kind()).isEqualTo(GenerationException.Kind.EXPERT_IO);
                assertThat(e.isTransient()).isTrue();
                assertThat(e.retryAfter()).isPresent();
            });
            harness.letGo();
            assertThat(harness.run(request(1, 1))).isNotEmpty();
            assertThat(harness.scheduler.snapshot().failed()).isEqualTo(1);
        }
    }
}

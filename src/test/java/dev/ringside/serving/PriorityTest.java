package dev.ringside.serving;

import static dev.ringside.serving.SchedulerHarness.batch;
import static dev.ringside.serving.SchedulerHarness.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ringside.engine.EngineHarness;
import dev.ringside.engine.GenerationRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import reactor.core.scheduler.Schedulers;

class PriorityTest {

    private static final SchedulerOptions OPTIONS = new SchedulerOptions(1, 20, 0, Duration.ofSeconds(60), Duration.ZERO, Duration.ZERO);

    private final AtomicLong now = new AtomicLong();

    @Test
    void interactiveRequestsPassBatchOnes() {
        try (SchedulerHarness harness = harness()) {
            List<Client> clients = fill(harness);

            assertThat(ids(harness)).containsExactly("r0", "r2", "r4", "r1", "r3");
            harness.letGo();
            clients.forEach(Client::completed);
            assertThat(harness.observer.ended).extracting(RequestRecord::id).containsExactly("r0", "r2", "r4", "r1", "r3");
        }
    }

    @Test
    void aBatchRequestThatWaitedLongEnoughGoesInTheOrderOfArrival() {
        try (SchedulerHarness harness = harness()) {
            List<Client> clients = fill(harness);
            now.addAndGet(Duration.ofSeconds(60).toNanos());

            assertThat(ids(harness)).containsExactly("r0", "r1", "r2", "r3", "r4");
            harness.letGo();
            clients.forEach(Client::completed);
            assertThat(harness.observer.ended).extracting(RequestRecord::id).containsExactly("r0", "r1", "r2", "r3", "r4");
        }
    }

    @Test
    void interactiveRequestsThatKeepComingHoldNoBatchRequestForEver() {
        try (SchedulerHarness harness = harness()) {
            harness.hold();
            Client running = Client.of(harness.scheduler.generate(request(0, 2)));
            Client patient = Client.of(harness.scheduler.generate(batch(1, 2)));
            List<Client> later = new ArrayList<>();
            for (int i = 2; i < 10; i++) {
                now.addAndGet(Duration.ofSeconds(10).toNanos());
                later.add(Client.of(harness.scheduler.generate(request(i, 2))));
            }

            assertThat(ids(harness)).startsWith("r0", "r1");
            harness.letGo();
            running.completed();
            patient.completed();
            later.forEach(Client::completed);
        }
    }

    @Test
    void everyRequestIsListedWithWhatItIsDoing() {
        try (SchedulerHarness harness = harness()) {
            List<Client> clients = fill(harness);
            now.addAndGet(Duration.ofSeconds(7).toNanos());

            List<RequestInfo> list = harness.scheduler.requests();
            assertThat(list.getFirst().state()).isEqualTo(RequestInfo.State.PROMPT);
            assertThat(list.getFirst().age()).isEqualTo(Duration.ofSeconds(7));
            assertThat(list.getFirst().promptTokens()).isEqualTo(5);
            assertThat(list.subList(1, 5)).extracting(RequestInfo::state).containsOnly(RequestInfo.State.QUEUED);
            harness.letGo(1);
            clients.getFirst().awaitFirst();
            assertThat(harness.scheduler.requests().getFirst().state()).isEqualTo(RequestInfo.State.GENERATING);
            harness.letGo();
            clients.forEach(Client::completed);
            assertThat(harness.scheduler.requests()).isEmpty();
        }
    }

    @Test
    void aCallIsCancelledWithAllItsChoices() {
        try (SchedulerHarness harness = harness()) {
            harness.hold();
            harness.letGo(2);
            Client first = Client.of(harness.scheduler.generate(named("call", 9_000))).awaitFirst();
            Client second = Client.of(harness.scheduler.generate(named("call-1", 9_000)));
            Client other = Client.of(harness.scheduler.generate(named("caller", 2)));

            assertThat(harness.scheduler.cancel("call", null)).isTrue();
            harness.letGo();
            assertThat(first.failure()).isInstanceOf(RequestCancelledException.class);
            assertThat(second.failure()).isInstanceOf(RequestCancelledException.class);
            other.completed();
            assertThat(harness.scheduler.cancel("call", null)).isFalse();
        }
    }

    @Test
    void aRunningBatchRequestGivesItsPlaceToAnInteractiveOne() {
        try (SchedulerHarness harness = new SchedulerHarness(1, 4)) {
            String expected = SchedulerHarness.text(harness.run(request(1, 300)));
            harness.hold();
            Client patient = Client.of(harness.scheduler.generate(batch(1, 300)));
            harness.letGo(40);
            patient.awaitFirst();
            await().atMost(SchedulerHarness.PATIENCE)
                    .until(() -> harness.scheduler.requests().getFirst().generated() == 40);
            Client quick = Client.of(harness.scheduler.generate(request(2, 3)));
            Client next = Client.of(harness.scheduler.generate(batch(3, 3)));
            assertThat(harness.scheduler.snapshot().queued()).as("batch requests have to wait").isEqualTo(1);
            assertThat(harness.scheduler.snapshot().active()).as("the place is taken once").isEqualTo(1);
            harness.letGo();

            quick.completed();
            patient.completed();
            next.completed();
            assertThat(harness.observer.ended).extracting(RequestRecord::id).containsExactly("r1", "r2", "r1", "r3");
            assertThat(SchedulerHarness.text(patient.events)).isEqualTo(expected);
            assertThat(harness.scheduler.snapshot().active()).isZero();
            assertThat(harness.engine.engine.snapshot().suspensions()).isEqualTo(1);
        }
    }

    private static GenerationRequest named(String id, int maxTokens) {
        return EngineHarness.request(id, maxTokens, EngineHarness.prompt(3, 6));
    }

    private SchedulerHarness harness() {
        return new SchedulerHarness(OPTIONS, Schedulers.parallel(), now::get);
    }

    /** One that runs and, behind it, a batch request, an interactive one, and both again. */
    private static List<Client> fill(SchedulerHarness harness) {
        harness.hold();
        List<Client> clients = new ArrayList<>();
        clients.add(Client.of(harness.scheduler.generate(request(0, 2))));
        clients.add(Client.of(harness.scheduler.generate(batch(1, 2))));
        clients.add(Client.of(harness.scheduler.generate(request(2, 2))));
        clients.add(Client.of(harness.scheduler.generate(batch(3, 2))));
        clients.add(Client.of(harness.scheduler.generate(request(4, 2))));
        return clients;
    }

    private static List<String> ids(SchedulerHarness harness) {
        return harness.scheduler.requests().stream().map(RequestInfo::id).toList();
    }
}

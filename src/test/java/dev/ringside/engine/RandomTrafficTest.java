package dev.ringside.engine;

import static dev.ringside.engine.EngineHarness.prompt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.DeviceException;
import dev.ringside.sampling.SamplingParameters;
import dev.ringside.sequence.StateBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever else goes on, a request gets the text it would get alone, or the beginning of it when it is cancelled. */
class RandomTrafficTest {

    private static final int REQUESTS = 40;

    @ParameterizedTest
    @CsvSource({"1,0", "2,0", "3,0", "4,3", "5,1", "6,3"})
    void textsDependOnTheRequestAlone(long round, int maxDrafts) {
        long seed = Long.getLong("ringside.test.seed", round);
        Random random = new Random(seed);
        List<GenerationRequest> requests = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            requests.add(request(random, i));
        }
        List<String> expected = new ArrayList<>();
        Foresight foresight = new Foresight(EngineHarness.VOCABULARY, 3);
        try (EngineHarness alone = EngineHarness.hashing(1, 64, 200)) {
            for (GenerationRequest request : requests) {
                expected.add(alone.run(request).awaitEnd().text());
                foresight.learn(request.prompt(), expected.getLast());
            }
        }
        FakeModel model = new FakeModel(EngineHarness.VOCABULARY, 200, FakeModel.byHash(EngineHarness.VOCABULARY));
        Random faults = new Random(seed);
        model.beforeEachStep(rows -> {
            if (rows.segments() > 1 && faults.nextInt(10) == 0) {
                throw new DeviceException("a passing fault");
            }
        });
        // 60 pages of 4 tokens for 5 sequences: some have to wait for room.
        EngineOptions options = new EngineOptions(5, 13, 200).with(new SpeculationOptions(maxDrafts, round == 4));
        try (EngineHarness harness = new EngineHarness(new DraftingModel(model, foresight), TestTokenizer.ofSize(EngineHarness.VOCABULARY),
                options, new StateBudget(5, 2 + maxDrafts, 60), null)) {
            List<Leaver> clients = new ArrayList<>();
            for (GenerationRequest request : requests) {
                Leaver client = new Leaver(random.nextInt(4) == 0 ? random.nextInt(12) : Integer.MAX_VALUE);
                clients.add(client);
                client.generation.set(harness.engine.submit(request, client));
                client.leaveIfDue();
            }
            for (int i = 0; i < REQUESTS; i++) {
                Leaver client = clients.get(i);
                client.awaitEnd();
                if (client.cancelled()) {
                    assertThat(expected.get(i)).as("request %d, seed %d", i, seed).startsWith(client.text());
                } else {
                    client.completed();
                    assertThat(client.text()).as("request %d, seed %d", i, seed).isEqualTo(expected.get(i));
                }
            }
            harness.engine.close();
            assertThat(harness.pool.freeSequences()).isEqualTo(5);
            assertThat(harness.pool.freePages()).isEqualTo(60);
            EngineSnapshot snapshot = harness.engine.snapshot();
            assertThat(snapshot.active()).isZero();
            assertThat(snapshot.waiting()).isZero();
            assertThat(snapshot.failures()).isZero();
            if (!options.speculation().adaptive()) {
                assertThat(snapshot.speculation().accepted() > 0).isEqualTo(maxDrafts > 0);
            }
        }
    }

    private static GenerationRequest request(Random random, int number) {
        SamplingParameters sampling = random.nextBoolean()
                ? SamplingParameters.greedy()
                : new SamplingParameters(1 + random.nextFloat(), 0.5f + random.nextFloat() / 2, random.nextInt(50), 0.01f,
                        random.nextFloat(),
                        random.nextFloat(), 1.1f, random.nextLong(), Map.of(random.nextInt(90), 3f));
        List<String> stop = random.nextInt(3) == 0 ? List.of("w" + random.nextInt(90) + " w", "w" + random.nextInt(90) + " ") : List.of();
        return new GenerationRequest("r" + number, prompt(random.nextInt(1000), 1 + random.nextInt(80)), sampling, 1 + random.nextInt(60),
                stop,
                false);
    }

    /** Leaves after so many events. */
    private static final class Leaver extends Recorder {

        final AtomicReference<Generation> generation = new AtomicReference<>();
        private final int patience;

        Leaver(int patience) {
            this.patience = patience;
        }

        @Override
        public void onEvent(GenerationEvent event) {
            super.onEvent(event);
            leaveIfDue();
        }

        void leaveIfDue() {
            Generation running = generation.get();
            if (running != null && events.size() >= patience) {
                running.cancel();
            }
        }
    }
}

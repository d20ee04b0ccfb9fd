package dev.ringside.engine;

import static dev.ringside.engine.EngineHarness.prompt;
import static dev.ringside.engine.EngineHarness.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.sequence.PrefixOptions;
import dev.ringside.sequence.StateBudget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that outgrow the device wait in host memory and lose nothing. */
class SuspensionTest {

    private static EngineHarness harness(int maxActive, int pages, @Nullable PrefixOptions prefixes) {
        return new EngineHarness(new FakeModel(EngineHarness.VOCABULARY, 200, FakeModel.byHash(EngineHarness.VOCABULARY)),
                TestTokenizer.ofSize(EngineHarness.VOCABULARY), new EngineOptions(maxActive, 16, 200), new StateBudget(maxActive, 3, pages),
                prefixes);
    }

    @Test
    void theYoungestGivesWayAndTheOldestNever() {
        // Three of 10 + 90 tokens take 75 pages of 4.
        try (EngineHarness harness = harness(3, 40, null)) {
            List<Recorder> recorders = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                recorders.add(harness.run(request("r" + i, 90, prompt(i, 10))));
            }
            recorders.forEach(Recorder::completed);
            EngineSnapshot now = harness.engine.snapshot();
            assertThat(now.suspensions()).isPositive();
            assertThat(now.failures()).isZero();
            assertThat(now.suspended()).isZero();
            try (EngineHarness alone = EngineHarness.hashing(1, 16, 200)) {
                for (int i = 0; i < 3; i++) {
                    assertThat(recorders.get(i).text()).isEqualTo(alone.run(request("r" + i, 90, prompt(i, 10))).awaitEnd().text());
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void twoHundredSuspendedAndAThousandShortRequestsLeaveNothingBehind(boolean cached) {
        try (EngineHarness harness = harness(5, 60, cached ? new PrefixOptions(4000, 16, Duration.ofHours(1)) : null)) {
            List<Recorder> recorders = new ArrayList<>();
            for (int i = 0; i < 120; i++) {
                recorders.add(harness.run(request("long" + i, 120, prompt(i % 40, 20 + i % 7))));
            }
            for (int i = 0; i < 1000; i++) {
                recorders.add(harness.run(request("short" + i, 1 + i % 3, prompt(i % 11, 1 + i % 5))));
            }
            recorders.forEach(Recorder::completed);
            for (int i = 0; i < 120; i++) {
                assertThat(recorders.get(i).text()).as("request %d", i).isEqualTo(alone(i % 40, i % 7));
            }
            assertThat(harness.engine.snapshot().suspensions()).isGreaterThanOrEqualTo(200);
            assertThat(harness.engine.snapshot().failures()).isZero();
            harness.engine.dropPrefixes(null).join();
            assertThat(harness.pool.snapshot().bytesUsed()).isZero();
            assertThat(harness.pool.freePages()).isEqualTo(60);
            assertThat(harness.pool.freeSequences()).isEqualTo(5);
        }
    }

    private final List<String> known = new ArrayList<>();

    /** The text of a request alone; computed once for each of the 280 there are. */
    private String alone(int seed, int extra) {
        while (known.size() < 280) {
            known.add("");
        }
        int index = seed * 7 + extra;
        if (known.get(index).isEmpty()) {
            try (EngineHarness harness = EngineHarness.hashing(1, 64, 200)) {
                known.set(index, harness.run(request("alone", 120, prompt(seed, 20 + extra))).awaitEnd().text());
            }
        }
        return known.get(index);
    }

    @Test
    void suspendedRequestsCanBeCancelledAndEndAtShutdown() {
        try (EngineHarness harness = harness(3, 40, null)) {
            List<Recorder> recorders = new ArrayList<>();
            List<Generation> generations = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Recorder recorder = new Recorder();
                recorders.add(recorder);
                generations.add(harness.engine.submit(request("r" + i, 150, prompt(i, 10)), recorder));
            }
            while (harness.engine.snapshot().suspended() == 0) {
                Thread.onSpinWait();
            }
            generations.get(2).cancel();
            recorders.get(2).awaitEnd();
            harness.engine.close();
            recorders.forEach(Recorder::awaitEnd);
            assertThat(harness.engine.snapshot().suspended()).isZero();
            assertThat(harness.engine.snapshot().active()).isZero();
            assertThat(harness.pool.freePages()).isEqualTo(40);
        }
    }
}

package dev.ringside.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ringside.sampling.SamplingParameters;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogprobsTest {

    private static GenerationRequest asking(int logprobs, SamplingParameters sampling, int maxTokens, String... stop) {
        return new GenerationRequest("r", new int[] {0}, sampling, maxTokens, List.of(stop), false, new int[0], logprobs, null,
                Priority.INTERACTIVE, null);
    }

    private static void requireOneEach(Recorder recorder) {
        int used = recorder.completed().usage().completionTokens();
        assertThat(recorder.deliveredTokens()).isEqualTo(used);
        assertThat(recorder.logprobs()).hasSize(used);
        assertThat(recorder.deltas()).allMatch(delta -> delta.logprobs().size() == delta.tokens());
    }

    @Test
    void everyTokenHasItsEntryInOrder() {
        try (EngineHarness harness = EngineHarness.reciting("zero ", "one ", "two ", "three ")) {
            Recorder recorder = harness.run(asking(2, SamplingParameters.greedy(), 50));
            requireOneEach(recorder);

            assertThat(recorder.logprobs()).extracting(TokenLogprob::token).containsExactly(1, 2, 3);
            for (TokenLogprob entry : recorder.logprobs()) {
                assertThat(entry.topTokens()).hasSize(2).startsWith(entry.token());
                assertThat(entry.topLogprobs()[0]).isEqualTo(entry.logprob());
                assertThat(entry.topLogprobs()[1]).isLessThan(entry.logprob());
            }
        }
    }

    @Test
    void nobodyGetsEntriesWithoutAsking() {
        try (EngineHarness harness = EngineHarness.hashing(1, 8, 20)) {
            Recorder recorder = harness.run(asking(-1, SamplingParameters.greedy(), 5));

            assertThat(recorder.completed().usage().completionTokens()).isEqualTo(5);
            assertThat(recorder.logprobs()).isEmpty();
        }
    }

    @Test
    void zeroAsksForTheTokenAlone() {
        try (EngineHarness harness = EngineHarness.hashing(1, 8, 20)) {
            Recorder recorder = harness.run(asking(0, SamplingParameters.greedy(), 5));
            requireOneEach(recorder);

            assertThat(recorder.logprobs()).allMatch(entry -> entry.topTokens().length == 0 && entry.logprob() <= 0);
        }
    }

    @Test
    void theyAreTheModelsOwnWhateverSamplingDoes() {
        try (EngineHarness harness = EngineHarness.hashing(1, 8, 40)) {
            SamplingParameters hot = new SamplingParameters(2, 0.9f, 5, 0, 1, 1, 1.5f, 3, Map.of(4, 50f));
            Recorder plain = harness.run(asking(97, SamplingParameters.greedy(), 1));
            Recorder changed = harness.run(asking(97, hot, 1));
            plain.completed();
            changed.completed();

            assertThat(changed.logprobs().getFirst().topTokens()).isEqualTo(plain.logprobs().getFirst().topTokens());
            assertThat(changed.logprobs().getFirst().topLogprobs()).isEqualTo(plain.logprobs().getFirst().topLogprobs());
            double total = 0;
            for (float logprob : plain.logprobs().getFirst().topLogprobs()) {
                total += Math.exp(logprob);
            }
            assertThat(total).isCloseTo(1, within(1e-5));
            TokenLogprob drawn = changed.logprobs().getFirst();
            int rank = Arrays.stream(drawn.topTokens()).boxed().toList().indexOf(drawn.token());
            assertThat(drawn.topLogprobs()[rank]).isEqualTo(drawn.logprob());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"beta gamma", "one", "ma delta", "not there"})
    void tokensOfAStopStringAreAccountedFor(String stop) {
        try (EngineHarness harness = EngineHarness.reciting("zero ", "one ", "be", "ta", " gam", "ma ", "delta")) {
            requireOneEach(harness.run(asking(1, SamplingParameters.greedy(), 50, stop)));
        }
    }

    @Test
    void halfACharacterAtTheEndIsAccountedFor() {
        byte[] bytes = "日".getBytes(StandardCharsets.UTF_8);
        TestTokenizer tokenizer = new TestTokenizer(List.of(new byte[] {'x'}, new byte[] {'y'}, new byte[] {bytes[0], bytes[1]}));
        try (EngineHarness harness = new EngineHarness(new FakeModel(4, 16, FakeModel.counting()), tokenizer,
                new EngineOptions(1, 4, 16))) {
            Recorder recorder = harness.run(asking(0, SamplingParameters.greedy(), 2));
            requireOneEach(recorder);

            assertThat(recorder.text()).isEqualTo("y");
        }
    }

    @Test
    void numbersBelowMinusOneAreRefused() {
        try (EngineHarness harness = EngineHarness.hashing(1, 8, 20)) {
            assertThatThrownBy(() -> harness.run(asking(-2, SamplingParameters.greedy(), 5))).hasMessageContaining("logprobs");
        }
    }
}

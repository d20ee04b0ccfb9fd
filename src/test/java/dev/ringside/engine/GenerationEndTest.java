package dev.ringside.engine;

import static dev.ringside.engine.EngineHarness.request;
import static dev.ringside.engine.EngineHarness.stopping;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.sampling.InvalidSamplingException;
import dev.ringside.sampling.SamplingParameters;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GenerationEndTest {

    @Test
    void theEndTokenEndsWithStopAndIsNotCounted() {
        try (EngineHarness harness = EngineHarness.reciting("zero ", "one ", "two ", "three ")) {
            Recorder recorder = harness.run(request("r", 50, 0));

            assertThat(recorder.completed().reason()).isEqualTo(FinishReason.STOP);
            assertThat(recorder.text()).isEqualTo("one two three ");
            assertThat(recorder.completed().usage()).isEqualTo(new Usage(1, 3, 0));
        }
    }

    @Test
    void endTokensAreGeneratedLikeOthersOnRequest() {
        TestTokenizer tokenizer = TestTokenizer.ofWords("a", "b");
        FakeModel model = new FakeModel(3, 16, (_, _, token) -> (token + 1) % 3);
        try (EngineHarness harness = new EngineHarness(model, tokenizer, new EngineOptions(1, 4, 16))) {
            Recorder recorder = harness.run(new GenerationRequest("r", new int[] {0}, SamplingParameters.greedy(), 5, List.of(), true));

            assertThat(recorder.completed().usage()).isEqualTo(new Usage(1, 5, 0));
            assertThat(recorder.completed().reason()).isEqualTo(FinishReason.LENGTH);
            assertThat(recorder.text()).isEqualTo("bab");
        }
    }

    @Test
    void oneTokenIsGeneratedForMaxTokensOne() {
        try (EngineHarness harness = EngineHarness.reciting("zero ", "one ", "two ")) {
            Recorder recorder = harness.run(request("r", 1, 0));

            assertThat(recorder.completed().reason()).isEqualTo(FinishReason.LENGTH);
            assertThat(recorder.completed().usage()).isEqualTo(new Usage(1, 1, 0));
            assertThat(recorder.text()).isEqualTo("one ");
        }
    }

    @Test
    void aStopStringOverSeveralTokensIsNotDeliveredInPart() {
        try (EngineHarness harness = EngineHarness.reciting("zero ", "alpha ", "be", "ta", " gam", "ma ", "delta")) {
            Recorder recorder = harness.run(stopping("beta gamma"));

            assertThat(recorder.completed().reason()).isEqualTo(FinishReason.STOP);
            assertThat(recorder.text()).isEqualTo("alpha ");
            assertThat(recorder.completed().usage().completionTokens()).isEqualTo(5);
        }
    }

    @Test
    void aStopStringInTheFirstTokenGivesNoText() {
        try (EngineHarness harness = EngineHarness.reciting("zero ", "one ", "two ")) {
            Recorder recorder = harness.run(stopping("one"));

            assertThat(recorder.completed().reason()).isEqualTo(FinishReason.STOP);
            assertThat(recorder.text()).isEmpty();
            assertThat(recorder.completed().usage().completionTokens()).isEqualTo(1);
            assertThat(recorder.deliveredTokens()).isEqualTo(1);
        }
    }

    @Test
    void heldBackTextIsDeliveredWhenTheModelEnds() {
        try (EngineHarness harness = EngineHarness.reciting("zero ", "one ", "two", " thr")) {
            Recorder recorder = harness.run(stopping("two three"));

            assertThat(recorder.completed().reason()).isEqualTo(FinishReason.STOP);
            assertThat(recorder.text()).isEqualTo("one two thr");
        }
    }

    @Test
    void deltasAccountForEveryTokenDelivered() {
        try (EngineHarness harness = EngineHarness.reciting("zero ", "one ", "two", " thr")) {
            Recorder recorder = harness.run(stopping("two three"));
            recorder.awaitEnd();

            assertThat(recorder.events).containsSubsequence(new GenerationEvent.TextDelta("one ", 1),
                    new GenerationEvent.TextDelta("two thr", 2));
        }
    }

    @Test
    void charactersOverTokenBoundariesComeWhole() {
        byte[] bytes = "日本".getBytes(StandardCharsets.UTF_8);
        List<byte[]> pieces = List.of(new byte[] {'x'}, new byte[] {bytes[0]}, new byte[] {bytes[1], bytes[2], bytes[3]},
                new byte[] {bytes[4], bytes[5]});
        TestTokenizer tokenizer = new TestTokenizer(pieces);
        try (EngineHarness harness = new EngineHarness(new FakeModel(5, 16, FakeModel.counting()), tokenizer,
                new EngineOptions(1, 4, 16))) {
            Recorder recorder = harness.run(request("r", 10, 0));
            recorder.awaitEnd();

            assertThat(recorder.events).startsWith(new GenerationEvent.TextDelta("日", 2), new GenerationEvent.TextDelta("本", 1));
        }
    }

    @Test
    void aCharacterCutOffByMaxTokensIsLeftOut() {
        byte[] bytes = "日".getBytes(StandardCharsets.UTF_8);
        TestTokenizer tokenizer = new TestTokenizer(List.of(new byte[] {'x'}, new byte[] {'y'}, new byte[] {bytes[0], bytes[1]}));
        try (EngineHarness harness = new EngineHarness(new FakeModel(4, 16, FakeModel.counting()), tokenizer,
                new EngineOptions(1, 4, 16))) {
            Recorder recorder = harness.run(request("r", 2, 0));

            assertThat(recorder.completed().usage().completionTokens()).isEqualTo(2);
            assertThat(recorder.text()).isEqualTo("y");
        }
    }

    @Test
    void aFullContextEndsWithLength() {
        try (EngineHarness harness = EngineHarness.hashing(2, 8, 20)) {
            Recorder recorder = harness.run(request("r", 1000, EngineHarness.prompt(1, 15)));

            assertThat(recorder.completed().reason()).isEqualTo(FinishReason.LENGTH);
            assertThat(recorder.completed().usage()).isEqualTo(new Usage(15, 5, 0));
        }
    }

    @Test
    void aPromptOneShorterThanTheContextGetsOneToken() {
        try (EngineHarness harness = EngineHarness.hashing(2, 8, 20)) {
            Recorder recorder = harness.run(request("r", 1000, EngineHarness.prompt(1, 19)));

            assertThat(recorder.completed().usage()).isEqualTo(new Usage(19, 1, 0));
        }
    }

    @Test
    void aPromptThatFillsTheContextIsRefusedWithBothNumbers() {
        try (EngineHarness harness = EngineHarness.hashing(2, 8, 20)) {
            assertThatThrownBy(() -> harness.run(request("r", 1, EngineHarness.prompt(1, 20)))).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("20 tokens").hasMessageContaining("holds 20");
        }
    }

    @Test
    void anEmptyPromptIsRefused() {
        try (EngineHarness harness = EngineHarness.hashing(2, 8, 20)) {
            assertThatThrownBy(() -> harness.run(request("r", 1))).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no tokens");
        }
    }

    @Test
    void aPromptTokenBeyondTheVocabularyIsRefused() {
        try (EngineHarness harness = EngineHarness.hashing(2, 8, 20)) {
            assertThatThrownBy(() -> harness.run(request("r", 1, 3, 97))).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Token 1").hasMessageContaining("97");
        }
    }

    @Test
    void aBiasBeyondTheVocabularyIsRefusedAndTheNextRequestWorks() {
        try (EngineHarness harness = EngineHarness.hashing(2, 8, 20)) {
            SamplingParameters biased = new SamplingParameters(0, 1, 0, 0, 0, 0, 1, 0, Map.of(97, 1f));

            assertThatThrownBy(() -> harness.run(new GenerationRequest("r", new int[] {1}, biased, 1, List.of(), false)))
                    .isInstanceOf(InvalidSamplingException.class);
            assertThat(harness.run(request("next", 2, 1)).completed().usage().completionTokens()).isEqualTo(2);
        }
    }

    @Test
    void timingsAddUpToTheTimeFromSubmissionToTheEnd() {
        try (EngineHarness harness = EngineHarness.hashing(2, 8, 20)) {
            long begin = System.nanoTime();
            Timings timings = harness.run(request("r", 5, EngineHarness.prompt(1, 10))).completed().timings();
            long all = System.nanoTime() - begin;

            assertThat(timings.queued()).isNotNegative();
            assertThat(timings.prompt()).isPositive();
            assertThat(timings.generation()).isPositive();
            assertThat(timings.queued() + timings.prompt() + timings.generation()).isLessThanOrEqualTo(all);
        }
    }
}

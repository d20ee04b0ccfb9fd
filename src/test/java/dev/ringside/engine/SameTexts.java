package dev.ringside.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

/** Compares what generations gave: text, reason of their end, tokens and the bits of their probabilities. */
final class SameTexts {

    private SameTexts() {}

    static void require(List<Recorder> found, List<Recorder> expected, String circumstances) {
        for (int i = 0; i < expected.size(); i++) {
            String request = circumstances + ", request " + i;
            assertThat(found.get(i).text()).as(request).isEqualTo(expected.get(i).text());
            assertThat(found.get(i).completed().reason()).as(request).isEqualTo(expected.get(i).completed().reason());
            List<TokenLogprob> one = found.get(i).logprobs();
            List<TokenLogprob> other = expected.get(i).logprobs();
            assertThat(one).as(request).hasSize(found.get(i).completed().usage().completionTokens()).hasSameSizeAs(other);
            for (int token = 0; token < one.size(); token++) {
                assertThat(one.get(token).token()).as(request).isEqualTo(other.get(token).token());
                assertThat(one.get(token).logprob()).as(request).isEqualTo(other.get(token).logprob());
            }
        }
    }
}

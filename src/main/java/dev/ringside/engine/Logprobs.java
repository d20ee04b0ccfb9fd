package dev.ringside.engine;

import dev.ringside.sampling.SamplerWorkspace;
import dev.ringside.sampling.TokenProbabilities;
import java.lang.foreign.MemorySegment;

/** Looks up how likely a generated token was, for requests that ask. */
final class Logprobs {

    private final TokenProbabilities probabilities;

    Logprobs(SamplerWorkspace workspace) {
        this.probabilities = new TokenProbabilities(workspace);
    }

    /**
     * The entry of one token.
     *
     * @param logits F32, {@code [vocabulary]} from {@code offsetBytes}
     * @param top how many of the most likely tokens to name, 0 or more
     */
    TokenLogprob of(int token, MemorySegment logits, long offsetBytes, int vocabulary, int top) {
        probabilities.read(logits, offsetBytes, vocabulary, top);
        int[] topTokens = new int[probabilities.top()];
        float[] topLogprobs = new float[topTokens.length];
        for (int rank = 0; rank < topTokens.length; rank++) {
            topTokens[rank] = probabilities.topToken(rank);
            topLogprobs[rank] = probabilities.logarithm(topTokens[rank]);
        }
        return new TokenLogprob(token, probabilities.logarithm(token), topTokens, topLogprobs);
    }
}

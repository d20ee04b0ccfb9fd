package dev.ringside.sampling;

import java.util.Map;

/**
 * How the next token is chosen. Values are validated by the constructor, whose messages name the parameter and its range.
 *
 * @param temperature 0 to 2; 0 takes the most likely token
 * @param topP keep the smallest set of tokens whose probabilities sum to this, in (0, 1]; 1 is off
 * @param topK keep this many tokens; 0 is off
 * @param minP drop tokens less likely than this share of the most likely one, in [0, 1]; 0 is off
 * @param presencePenalty -2 to 2, subtracted once from the logit of every token generated so far
 * @param frequencyPenalty -2 to 2, subtracted per occurrence of a token generated so far
 * @param repetitionPenalty greater than 0: logits of tokens in prompt or output are divided by it when positive, multiplied when negative; 1
 *        is off
 * @param seed seed of the request's own generator
 * @param logitBias token id to an addend, -100 to 100
 */
public record SamplingParameters(float temperature, float topP, int topK, float minP, float presencePenalty, float frequencyPenalty,
        float repetitionPenalty, long seed, Map<Integer, Float> logitBias) {

    public SamplingParameters {
        range("temperature", temperature, 0, 2);
        if (!(topP > 0 && topP <= 1)) {
            throw new InvalidSamplingException("top_p", "top_p must be greater than 0 and at most 1, got " + topP);
        }
        if (topK < 0) {
            throw new InvalidSamplingException("top_k", "top_k must be 0 (off) or more, got " + topK);
        }
        range("min_p", minP, 0, 1);
        range("presence_penalty", presencePenalty, -2, 2);
        range("frequency_penalty", frequencyPenalty, -2, 2);
        if (!(repetitionPenalty > 0 && repetitionPenalty <= 100)) {
            throw new InvalidSamplingException("repetition_penalty",
                    "repetition_penalty must be greater than 0 and at most 100, got " + repetitionPenalty);
        }
        logitBias = Map.copyOf(logitBias);
        for (Map.Entry<Integer, Float> entry : logitBias.entrySet()) {
            range("logit_bias", entry.getValue(), -100, 100);
        }
    }

    /** The most likely token each time. */
    public static SamplingParameters greedy() {
        return new SamplingParameters(0, 1, 0, 0, 0, 0, 1, 0, Map.of());
    }

    private static void range(String name, float value, float low, float high) {
        if (!(value >= low && value <= high)) {
            throw new InvalidSamplingException(name, name + " must be between " + low + " and " + high + ", got " + value);
        }
    }
}

package dev.ringside.engine;

/**
 * How likely a generated token was, and which others were. Logarithms of the model's own probabilities: the softmax over all logits at
 * temperature 1, before bias, penalties and constraints.
 *
 * @param token the token that was generated
 * @param logprob its natural logarithm
 * @param topTokens the most likely tokens, most likely first; as many as the request asks for
 * @param topLogprobs their natural logarithms
 */
public record TokenLogprob(int token, float logprob, int[] topTokens, float[] topLogprobs) {}

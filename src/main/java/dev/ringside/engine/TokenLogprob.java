package dev.ringside.engine;

/**
 * How likely a generated token was, and which others were. Logarithms of the model's own probabilities: the softmax over all tokens that can be sampled, at
 * temperature 1, before bias, penalties and constraints.
 *
 * <p>There is exactly one for each token of the usage, also for those of a stop string, whose text is never delivered, and for half a
 * character at the end; none for the end token, which is not counted either.
 *
 * @param token the token that was generated
 * @param logprob its natural logarithm
 * @param topTokens the most likely tokens, most likely first; as many as the request asks for
 * @param topLogprobs their natural logarithms
 */
public record TokenLogprob(int token, float logprob, int[] topTokens, float[] topLogprobs) {}

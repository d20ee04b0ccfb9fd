package dev.ringside.engine;

import dev.ringside.sampling.SamplingParameters;
import java.util.List;

/**
 * One completion to generate.
 *
 * @param id for logs and cancellation
 * @param prompt token ids, at least one
 * @param maxTokens most tokens to generate, at least 1; the engine also ends at the context length
 * @param stop strings that end the generation; nothing of a match is delivered
 * @param ignoreEnd whether end-of-generation tokens are generated like any other
 * @param boundaries positions in the prompt at which later ones may part from it, such as ends of messages; may be empty
 */
public record GenerationRequest(String id, int[] prompt, SamplingParameters sampling, int maxTokens, List<String> stop, boolean ignoreEnd,
        int[] boundaries) {

    private static final int[] NO_BOUNDARIES = {};

    public GenerationRequest {
        stop = List.copyOf(stop);
    }

    /** A request that names no boundaries. */
    public GenerationRequest(String id, int[] prompt, SamplingParameters sampling, int maxTokens, List<String> stop, boolean ignoreEnd) {
        this(id, prompt, sampling, maxTokens, stop, ignoreEnd, NO_BOUNDARIES);
    }
}

package dev.ringside.api;

import dev.ringside.sampling.SamplingParameters;
import java.util.List;
import java.util.OptionalInt;

/**
 * What chat and text completions have in common.
 *
 * @param maxTokens most tokens to generate, at least 1; absent means up to the end of the context
 * @param stop strings that end the answer
 * @param stream whether the answer comes as server-sent events
 * @param includeUsage whether a stream ends with a chunk of token counts
 */
record GenerationOptions(SamplingParameters sampling, OptionalInt maxTokens, List<String> stop, boolean stream, boolean includeUsage) {

    GenerationOptions {
        stop = List.copyOf(stop);
    }
}

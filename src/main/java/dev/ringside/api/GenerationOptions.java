package dev.ringside.api;

import dev.ringside.engine.GenerationRequest;
import dev.ringside.engine.Priority;
import dev.ringside.sampling.SamplingParameters;
import dev.ringside.sampling.TokenConstraint;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all ways to ask for text have in common.
 *
 * @param maxTokens most tokens to generate, at least 1; absent means up to the end of the context
 * @param stop strings that end the answer
 * @param stream whether the answer comes as server-sent events
 * @param includeUsage whether a stream ends with a chunk of token counts
 * @param choices how many answers to generate for one prompt
 * @param logprobs as in {@link GenerationRequest#logprobs()}
 * @param priority which goes first of those that wait
 * @param timeout how long the answer may take, or null
 * @param serviceTier OpenAI's name of the priority when the request names one
 */
record GenerationOptions(SamplingParameters sampling, OptionalInt maxTokens, List<String> stop, boolean stream, boolean includeUsage,
        int choices, int logprobs, Priority priority, @Nullable Duration timeout, @Nullable String serviceTier) {

    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    GenerationOptions {
        stop = List.copyOf(stop);
    }

    /** One interactive choice without probabilities. */
    static GenerationOptions of(SamplingParameters sampling, OptionalInt maxTokens, List<String> stop, boolean stream) {
        return new GenerationOptions(sampling, maxTokens, stop, stream, false, 1, GenerationRequest.NO_LOGPROBS, Priority.INTERACTIVE, null,
                null);
    }

    GenerationOptions withLogprobs(int most) {
        return new GenerationOptions(sampling, maxTokens, stop, stream, includeUsage, choices, most, priority, timeout, serviceTier);
    }

    /**
     * The request of one of a prompt's choices. Each draws from a stream of random numbers of its own; the first has the request's seed, so that
     * asking for more choices does not change it.
     *
     * @param id of the answer; choices are told apart by a number behind it
     * @param first number of the prompt's first choice in the answer
     * @param choice number of the choice among those of its prompt
     * @param contextLength longest prompt plus answer, in tokens
     * @param markers as in {@link GenerationRequest#markers()}
     */
    GenerationRequest request(String id, int first, int choice, Prompt prompt, int contextLength,
            @Nullable Supplier<TokenConstraint> constraint, Set<String> markers) {
        int index = first + choice;
        int room = Math.max(1, contextLength - prompt.ids().length);
        return new GenerationRequest(index == 0 ? id : id + "-" + index, prompt.ids(), choice == 0 ? sampling : reseeded(choice),
                Math.min(room, maxTokens.orElse(room)), stop, false, prompt.boundaries(), logprobs, constraint, priority, timeout,
                markers);
    }

    private SamplingParameters reseeded(int choice) {
        long seed = mix(sampling.seed() + choice * GOLDEN_GAMMA);
        return new SamplingParameters(sampling.temperature(), sampling.topP(), sampling.topK(), sampling.minP(), sampling.presencePenalty(),
                sampling.frequencyPenalty(), sampling.repetitionPenalty(), seed, sampling.logitBias());
    }

    /** The finaliser of SplitMix64 (Steele, Lea and Flood 2014), which spreads neighbouring seeds. */
    private static long mix(long value) {
        long z = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}

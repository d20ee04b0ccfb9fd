package dev.ringside.engine;

import dev.ringside.sampling.SamplingParameters;
import dev.ringside.sampling.TokenConstraint;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One completion to generate.
 *
 * @param id for logs and cancellation
 * @param prompt token ids, at least one
 * @param maxTokens most tokens to generate, at least 1; the engine also ends at the context length
 * @param stop strings that end the generation; nothing of a match is delivered
 * @param ignoreEnd whether end-of-generation tokens are generated like any other
 * @param boundaries positions in the prompt at which later ones may part from it, such as ends of messages, ascending; may be empty
 * @param logprobs how many of the most likely tokens are reported with every generated one; 0 for its own probability only,
 *        {@link #NO_LOGPROBS} for none
 * @param constraint makes what restricts the tokens of one run of this request, or null
 * @param priority which goes first of those that wait
 * @param timeout how long the request may take from its submission, or null for as long as it needs
 * @param markers spellings of the control tokens that appear in the text, because they mark parts of it; the other ones give no text
 */
public record GenerationRequest(String id, int[] prompt, SamplingParameters sampling, int maxTokens, List<String> stop, boolean ignoreEnd,
        int[] boundaries, int logprobs, @Nullable Supplier<TokenConstraint> constraint, Priority priority, @Nullable Duration timeout,
        Set<String> markers) {

    /** Value of {@link #logprobs} that asks for no probabilities. */
    public static final int NO_LOGPROBS = -1;

    private static final int[] NO_BOUNDARIES = {};

    public GenerationRequest {
        stop = List.copyOf(stop);
        markers = Set.copyOf(markers);
    }

    /** A request whose text shows no control token. */
    public GenerationRequest(String id, int[] prompt, SamplingParameters sampling, int maxTokens, List<String> stop, boolean ignoreEnd,
            int[] boundaries, int logprobs, @Nullable Supplier<TokenConstraint> constraint, Priority priority, @Nullable Duration timeout) {
        this(id, prompt, sampling, maxTokens, stop, ignoreEnd, boundaries, logprobs, constraint, priority, timeout, Set.of());
    }

    /** The same with another priority. */
    public GenerationRequest withPriority(Priority other) {
        return new GenerationRequest(id, prompt, sampling, maxTokens, stop, ignoreEnd, boundaries, logprobs, constraint, other, timeout,
                markers);
    }

    /** A request that names no boundaries. */
    public GenerationRequest(String id, int[] prompt, SamplingParameters sampling, int maxTokens, List<String> stop, boolean ignoreEnd) {
        this(id, prompt, sampling, maxTokens, stop, ignoreEnd, NO_BOUNDARIES);
    }

    /** An interactive request without probabilities, constraint and time limit. */
    public GenerationRequest(String id, int[] prompt, SamplingParameters sampling, int maxTokens, List<String> stop, boolean ignoreEnd,
            int[] boundaries) {
        this(id, prompt, sampling, maxTokens, stop, ignoreEnd, boundaries, NO_LOGPROBS, null, Priority.INTERACTIVE, null);
    }
}

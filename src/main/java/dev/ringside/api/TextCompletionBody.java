package dev.ringside.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code text_completion}: a whole answer or, in a stream, a piece of one.
 *
 * @param usage null is left out; {@link ChunkUsage.None} is written as null
 */
record TextCompletionBody(String id, String object, long created, String model, String systemFingerprint, List<Choice> choices,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable ChunkUsage usage,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable TimingsBody timings) {

    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Choice(String text, int index, AnswerLogprobs.@Nullable Text logprobs, @Nullable String finishReason) {}
}

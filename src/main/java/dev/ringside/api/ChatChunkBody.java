package dev.ringside.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code chat.completion.chunk}: a piece of a streamed answer.
 *
 * @param usage null is left out; {@link ChunkUsage.None} is written as null, which all but the last chunk carry when usage was asked for
 */
record ChatChunkBody(String id, String object, long created, String model, String systemFingerprint,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String serviceTier, List<Choice> choices,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable ChunkUsage usage,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable TimingsBody timings) {

    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Choice(int index, Delta delta, AnswerLogprobs.@Nullable Chat logprobs, @Nullable String finishReason) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Delta(@Nullable String role, @Nullable String content, @Nullable String reasoningContent,
            @Nullable List<ToolCall> toolCalls) {

        static final Delta NOTHING = new Delta(null, null, null, null);

        static Delta of(String content) {
            return new Delta(null, content, null, null);
        }
    }

    /** A call in pieces: the first has id, type and name, later ones have arguments only. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record ToolCall(int index, @Nullable String id, @Nullable String type, Function function) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Function(@Nullable String name, String arguments) {}
}

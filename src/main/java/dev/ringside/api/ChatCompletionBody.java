package dev.ringside.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code chat.completion}: a whole answer. */
record ChatCompletionBody(String id, String object, long created, String model, String systemFingerprint,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String serviceTier, List<Choice> choices, UsageBody usage,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable TimingsBody timings) {

    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Choice(int index, Message message, AnswerLogprobs.@Nullable Chat logprobs, String finishReason) {}

    /** @param content null when the message consists of tool calls only */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Message(String role, @Nullable String content, @Nullable String refusal,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String reasoningContent,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<ToolCall> toolCalls) {}

    record ToolCall(String id, String type, Function function) {}

    record Function(String name, String arguments) {}
}

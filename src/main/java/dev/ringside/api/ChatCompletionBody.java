package dev.ringside.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code chat.completion}: a whole answer. */
record ChatCompletionBody(String id, String object, long created, String model, String systemFingerprint, List<Choice> choices,
        UsageBody usage,
        TimingsBody timings) {

    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Choice(int index, Message message, @Nullable Object logprobs, String finishReason) {}

    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Message(String role, String content, @Nullable String refusal) {}
}

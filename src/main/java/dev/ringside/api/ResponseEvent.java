package dev.ringside.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Events of a streamed answer of {@code /v1/responses}; those of one answer are numbered from 0. */
sealed interface ResponseEvent {

    String type();

    /** The answer as a whole is at another stage. */
    record Stage(String type, int sequenceNumber, Map<String, ? extends @Nullable Object> response) implements ResponseEvent {}

    /** An item begins or ends. */
    record Item(String type, int sequenceNumber, int outputIndex, ResponseItem item) implements ResponseEvent {}

    /** A part of an item's content begins or ends. */
    record Part(String type, int sequenceNumber, String itemId, int outputIndex, int contentIndex, Object part) implements ResponseEvent {}

    /**
     * More of a text.
     *
     * @param contentIndex null where the item has no parts
     * @param logprobs null where the text is not the answer itself
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Delta(String type, int sequenceNumber, String itemId, int outputIndex, @Nullable Integer contentIndex, String delta,
            @Nullable List<String> logprobs) implements ResponseEvent {}

    /** A text is complete; either {@code text}, or {@code name} and {@code arguments} of a call. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Done(String type, int sequenceNumber, String itemId, int outputIndex, @Nullable Integer contentIndex, @Nullable String text,
            @Nullable List<String> logprobs, @Nullable String name, @Nullable String arguments) implements ResponseEvent {}
}

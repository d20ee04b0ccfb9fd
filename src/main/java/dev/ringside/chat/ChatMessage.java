package dev.ringside.chat;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One message of a conversation.
 *
 * @param role {@code system}, {@code developer}, {@code user}, {@code assistant}, {@code tool}
 * @param content text, empty when an assistant message consists of tool calls only
 * @param reasoning what the assistant thought before it answered, if that is to be given back to it
 * @param toolCalls calls the assistant made
 * @param toolCallId for role {@code tool}: the call that this answers
 * @param name name of the tool or participant
 */
public record ChatMessage(String role, String content, @Nullable String reasoning, List<ToolCall> toolCalls, @Nullable String toolCallId,
        @Nullable String name) {

    public ChatMessage {
        Objects.requireNonNull(role, "role");
        Objects.requireNonNull(content, "content");
        toolCalls = List.copyOf(toolCalls);
    }

    /** A message of text alone. */
    public static ChatMessage of(String role, String content) {
        return new ChatMessage(role, content, null, List.of(), null, null);
    }
}

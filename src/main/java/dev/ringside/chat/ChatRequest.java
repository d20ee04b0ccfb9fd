package dev.ringside.chat;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a chat template is given.
 *
 * @param messages the conversation
 * @param tools tool descriptions as JSON values, {@code {"type": "function", "function": {...}}} each; may be empty
 * @param addGenerationPrompt whether the prompt ends with the opening of the assistant's turn
 * @param variables further template variables such as {@code enable_thinking}, as JSON values; text in them counts as content
 */
public record ChatRequest(List<ChatMessage> messages, List<? extends Map<String, ?>> tools, boolean addGenerationPrompt,
        Map<String, ? extends @Nullable Object> variables) {

    /** A conversation without tools, to be continued by the assistant. */
    public static ChatRequest of(List<ChatMessage> messages) {
        return new ChatRequest(messages, List.of(), true, Map.of());
    }
}

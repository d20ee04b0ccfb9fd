package dev.ringside.api;

import dev.ringside.chat.ChatMessage;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A conversation to be continued by the assistant, whatever API it came through.
 *
 * @param templateVariables such as {@code enable_thinking}, as JSON values; text in them counts as content
 */
record ChatTurn(List<ChatMessage> messages, ChatTools tools, ChatResponseFormat format,
        Map<String, ? extends @Nullable Object> templateVariables, GenerationOptions options) {

    ChatTurn {
        messages = List.copyOf(messages);
    }
}

package dev.ringside.api;

import dev.ringside.chat.ChatRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads the body of {@code POST /v1/chat/completions}. */
final class ChatRequestParser {

    private final ChatMessageParser messages;
    private final GenerationOptionsParser options;

    ChatRequestParser(ChatMessageParser messages, GenerationOptionsParser options) {
        this.messages = messages;
        this.options = options;
    }

    ChatCompletionRequest parse(JsonNode json) {
        JsonFields body = JsonFields.root(json);
        UnsupportedFields.refuseInChat(body);
        ChatRequest conversation = new ChatRequest(messages.parse(body.require("messages")), List.of(), true, variables(body));
        return new ChatCompletionRequest(conversation, options.parse(body));
    }

    private static Map<String, @Nullable Object> variables(JsonFields body) {
        Map<String, @Nullable Object> variables = new LinkedHashMap<>();
        String effort = body.string("reasoning_effort");
        if (effort != null) {
            variables.put("reasoning_effort", effort);
        }
        JsonFields further = body.object("chat_template_kwargs");
        if (further != null) {
            for (Map.Entry<String, JsonNode> entry : further.entries()) {
                variables.put(entry.getKey(), JsonValues.of(entry.getValue()));
            }
        }
        return variables;
    }
}

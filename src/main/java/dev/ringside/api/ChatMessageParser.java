package dev.ringside.api;

import dev.ringside.chat.ChatMessage;
import dev.ringside.chat.ToolCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Reads the messages of a conversation. */
final class ChatMessageParser {

    private static final Set<String> ROLES = Set.of("system", "developer", "user", "assistant", "tool");

    private final JsonBody json;
    private final boolean developerKnown;

    /** @param developerKnown whether the chat template knows the role {@code developer}; otherwise it becomes {@code system}, its older name */
    ChatMessageParser(JsonBody json, boolean developerKnown) {
        this.json = json;
        this.developerKnown = developerKnown;
    }

    List<ChatMessage> parse(JsonNode messages) {
        if (!messages.isArray()) {
            throw ApiException.wrongType("messages", "an array", JsonFields.kind(messages));
        }
        if (messages.isEmpty()) {
            throw ApiException.invalidValue("messages", "messages must hold at least one message");
        }
        List<ChatMessage> result = new ArrayList<>(messages.size());
        for (int i = 0; i < messages.size(); i++) {
            result.add(message(JsonFields.of(messages.get(i), "messages[" + i + "]")));
        }
        ChatMessageOrder.check(result);
        return result;
    }

    private ChatMessage message(JsonFields message) {
        String role = JsonFields.string(message.require("role"), message.path("role"));
        if (!ROLES.contains(role)) {
            throw ApiException.invalidValue(message.path("role"), message.path("role")
                    + " must be one of system, developer, user, assistant and tool, got '" + Quote.shorten(role) + "'");
        }
        refuseUnreadable(message);
        List<ToolCall> calls = role.equals("assistant") ? toolCalls(message) : List.of();
        JsonNode content = message.find("content");
        if (content == null && !(role.equals("assistant") && (!calls.isEmpty() || message.find("refusal") != null))) {
            throw ApiException.missing(message.path("content"));
        }
        String reasoning = message.string("reasoning_content");
        return new ChatMessage(role.equals("developer") && !developerKnown ? "system" : role,
                content == null ? "" : content(content, message.path("content")), reasoning, calls, message.string("tool_call_id"),
                message.string("name"));
    }

    private static void refuseUnreadable(JsonFields message) {
        if (message.find("function_call") != null) {
            throw ApiException.unsupported(message.path("function_call"), message.path("function_call") + " is deprecated: use tool_calls");
        }
        if (message.find("audio") != null) {
            throw ApiException.unsupported(message.path("audio"), message.path("audio") + " is not supported: this model reads text only");
        }
    }

    private static String content(JsonNode content, String path) {
        if (content.isString()) {
            return content.stringValue();
        }
        if (!content.isArray()) {
            throw ApiException.wrongType(path, "a string or an array of text parts", JsonFields.kind(content));
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < content.size(); i++) {
            JsonFields part = JsonFields.of(content.get(i), path + "[" + i + "]");
            String type = JsonFields.string(part.require("type"), part.path("type"));
            switch (type) {
                case "text" -> text.append(JsonFields.string(part.require("text"), part.path("text")));
                case "refusal" -> text.append(JsonFields.string(part.require("refusal"), part.path("refusal")));
                default -> throw ApiException.unsupported(part.path("type"),
                        part.path("type") + " must be text, got '" + Quote.shorten(type) + "': this model reads text only");
            }
        }
        return text.toString();
    }

    private List<ToolCall> toolCalls(JsonFields message) {
        JsonNode calls = message.find("tool_calls");
        if (calls == null) {
            return List.of();
        }
        String path = message.path("tool_calls");
        if (!calls.isArray()) {
            throw ApiException.wrongType(path, "an array", JsonFields.kind(calls));
        }
        List<ToolCall> result = new ArrayList<>(calls.size());
        for (int i = 0; i < calls.size(); i++) {
            JsonFields call = JsonFields.of(calls.get(i), path + "[" + i + "]");
            String type = call.string("type");
            if (type != null && !type.equals("function")) {
                throw ApiException.unsupported(call.path("type"),
                        call.path("type") + " must be function, got '" + Quote.shorten(type) + "'");
            }
            JsonFields function = JsonFields.of(call.require("function"), call.path("function"));
            String id = JsonFields.string(call.require("id"), call.path("id"));
            result.add(new ToolCall(id, JsonFields.string(function.require("name"), function.path("name")),
                    arguments(function)));
        }
        return result;
    }

    /** Templates want the arguments as a value; what a model wrote need not be valid JSON, and is then passed on as it is. */
    private Object arguments(JsonFields function) {
        JsonNode arguments = function.require("arguments");
        if (arguments.isObject()) {
            return JsonValues.map(arguments);
        }
        String text = JsonFields.string(arguments, function.path("arguments"));
        JsonNode parsed = json.parseQuietly(text);
        return parsed != null && parsed.isObject() ? JsonValues.map(parsed) : text;
    }
}

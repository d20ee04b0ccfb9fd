package dev.ringside.api;

import tools.jackson.databind.JsonNode;

/** Translates the items of {@code /v1/responses} to messages. */
final class ResponseItems {

    private static final KnownFields MESSAGE = KnownFields.of("type", "role", "content", "id", "status", "phase");
    private static final KnownFields CALL = KnownFields.of("type", "call_id", "name", "arguments", "id", "status");
    private static final KnownFields OUTPUT = KnownFields.of("type", "call_id", "output", "id", "status");
    private static final KnownFields REASONING = KnownFields.of("type", "id", "summary", "content", "encrypted_content", "status");

    private final ChatBody chat;

    ResponseItems(ChatBody chat) {
        this.chat = chat;
    }

    /** @param path what a refusal calls the item */
    void add(JsonNode node, String path) {
        JsonFields item = JsonFields.of(node, path);
        String type = type(item);
        switch (type) {
            case "message" -> message(MESSAGE.check(item), path);
            case "function_call" -> {
                CALL.check(item);
                chat.toolCall(text(item, "call_id"), text(item, "name"), item.require("arguments"), path);
            }
            case "function_call_output" -> {
                OUTPUT.check(item);
                chat.toolOutput(text(item, "call_id"), content(item.require("output"), item.path("output")), path, item.path("call_id"));
            }
            case "reasoning" -> reasoning(REASONING.check(item), path);
            default -> throw ApiException.unsupported(item.path("type"), item.path("type") + " must be one of message, function_call, "
                    + "function_call_output and reasoning, got '" + Quote.shorten(type) + "': this server has no built-in tools");
        }
    }

    /** The type of an item; one that has a role needs none. */
    static String type(JsonFields item) {
        String type = item.string("type");
        if (type == null && item.find("role") == null) {
            throw ApiException.missing(item.path("type"));
        }
        return type == null ? "message" : type;
    }

    private void message(JsonFields message, String path) {
        String role = text(message, "role");
        String content = content(message.require("content"), message.path("content"));
        switch (role) {
            case "assistant" -> chat.assistantText(content, path);
            case "user", "system", "developer" -> chat.message(role, content, path);
            default -> throw ApiException.invalidValue(message.path("role"), message.path("role")
                    + " must be one of user, assistant, system and developer, got '" + Quote.shorten(role) + "'");
        }
    }

    // Text that was encrypted elsewhere can't be read here; what this server wrote is in the content.
    private void reasoning(JsonFields item, String path) {
        JsonNode content = item.find("content");
        String text = content == null ? "" : content(content, item.path("content"));
        if (!text.isEmpty()) {
            chat.reasoning(text, path);
        }
    }

    private static String content(JsonNode content, String path) {
        if (content.isString()) {
            return content.stringValue();
        }
        if (!content.isArray()) {
            throw ApiException.wrongType(path, "a string or an array of parts", JsonFields.kind(content));
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < content.size(); i++) {
            JsonFields part = JsonFields.of(content.get(i), path + "[" + i + "]");
            String type = text(part, "type");
            switch (type) {
                case "input_text", "output_text", "text", "summary_text", "reasoning_text" -> text.append(text(part, "text"));
                case "refusal" -> text.append(text(part, "refusal"));
                default -> throw ApiException.unsupported(part.path("type"),
                        part.path("type") + " must be input_text or output_text, got '" + Quote.shorten(type)
                                + "': this model reads text only");
            }
        }
        return text.toString();
    }

    private static String text(JsonFields object, String field) {
        return JsonFields.string(object.require(field), object.path(field));
    }
}

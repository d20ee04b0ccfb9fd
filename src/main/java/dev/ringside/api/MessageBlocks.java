package dev.ringside.api;

import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** Translates the messages of {@code /v1/messages}, made of blocks, to those of a chat. */
final class MessageBlocks {

    private static final KnownFields MESSAGE = KnownFields.of("role", "content");
    private static final KnownFields TEXT = KnownFields.of("type", "text", "cache_control", "citations");
    private static final KnownFields THINKING = KnownFields.of("type", "thinking", "signature");
    private static final KnownFields REDACTED = KnownFields.of("type", "data");
    private static final KnownFields TOOL_USE = KnownFields.of("type", "id", "name", "input", "cache_control", "caller");
    private static final KnownFields TOOL_RESULT = KnownFields.of("type", "tool_use_id", "content", "is_error", "cache_control");

    private MessageBlocks() {}

    static void add(JsonNode messages, ChatBody chat) {
        if (!messages.isArray()) {
            throw ApiException.wrongType("messages", "an array", JsonFields.kind(messages));
        }
        if (messages.isEmpty()) {
            throw ApiException.invalidValue("messages", "messages must hold at least one message");
        }
        for (int i = 0; i < messages.size(); i++) {
            JsonFields message = MESSAGE.check(JsonFields.of(messages.get(i), "messages[" + i + "]"));
            add(message, chat, "messages[" + i + "]");
        }
        if (chat.endsWithAssistant()) {
            throw ApiException.unsupported("messages",
                    "The last message must be the user's: an assistant's message can't be continued here");
        }
    }

    private static void add(JsonFields message, ChatBody chat, String path) {
        String role = JsonFields.string(message.require("role"), message.path("role"));
        JsonNode content = message.require("content");
        switch (role) {
            case "system" -> chat.message("system", text(content, message.path("content")), path);
            case "user", "assistant" -> {
                if (content.isString()) {
                    text(role, content.stringValue(), chat, path);
                } else if (content.isArray()) {
                    for (int i = 0; i < content.size(); i++) {
                        String block = message.path("content") + "[" + i + "]";
                        block(role, JsonFields.of(content.get(i), block), chat, block);
                    }
                } else {
                    throw ApiException.wrongType(message.path("content"), "a string or an array of blocks", JsonFields.kind(content));
                }
            }
            default -> throw ApiException.invalidValue(message.path("role"),
                    message.path("role") + " must be user, assistant or system, got '" + Quote.shorten(role) + "'");
        }
    }

    private static void block(String role, JsonFields block, ChatBody chat, String path) {
        String type = JsonFields.string(block.require("type"), block.path("type"));
        boolean assistant = role.equals("assistant");
        switch (type) {
            case "text" -> text(role, string(TEXT.check(block), "text"), chat, path);
            case "tool_result" -> {
                refuseUnless(!assistant, block, "user", type);
                toolResult(TOOL_RESULT.check(block), chat, path);
            }
            case "thinking" -> {
                refuseUnless(assistant, block, "assistant", type);
                chat.reasoning(string(THINKING.check(block), "thinking"), path);
            }
            case "redacted_thinking" -> {
                // Encrypted elsewhere: there is nothing to read.
                refuseUnless(assistant, block, "assistant", type);
                REDACTED.check(block);
            }
            case "tool_use" -> {
                refuseUnless(assistant, block, "assistant", type);
                TOOL_USE.check(block);
                JsonNode input = block.require("input");
                if (!input.isObject()) {
                    throw ApiException.wrongType(block.path("input"), "an object", JsonFields.kind(input));
                }
                chat.toolCall(string(block, "id"), string(block, "name"), input, path);
            }
            default -> throw ApiException.unsupported(block.path("type"), block.path("type")
                    + " must be text, thinking, tool_use or tool_result, got '" + Quote.shorten(type) + "': this model reads text only");
        }
    }

    private static void refuseUnless(boolean right, JsonFields block, String role, String type) {
        if (!right) {
            throw ApiException.invalidValue(block.path("type"),
                    block.path("type") + " " + type + " belongs into a message of the role " + role);
        }
    }

    private static void text(String role, String text, ChatBody chat, String path) {
        if (role.equals("assistant")) {
            chat.assistantText(text, path);
        } else {
            chat.joinMessage("user", text, path);
        }
    }

    private static void toolResult(JsonFields block, ChatBody chat, String path) {
        JsonNode content = block.find("content");
        String text = content == null ? "" : text(content, block.path("content"));
        // The chat format has no flag for it, and the model has to know.
        boolean unmarked = block.bool("is_error", false) && !text.toLowerCase(Locale.ROOT).startsWith("error");
        chat.toolOutput(string(block, "tool_use_id"), unmarked ? "Error: " + text : text, path, block.path("tool_use_id"));
    }

    /** A string, or text blocks joined by line breaks. */
    static String text(JsonNode content, String path) {
        if (content.isString()) {
            return content.stringValue();
        }
        if (!content.isArray()) {
            throw ApiException.wrongType(path, "a string or an array of text blocks", JsonFields.kind(content));
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < content.size(); i++) {
            JsonFields block = JsonFields.of(content.get(i), path + "[" + i + "]");
            String type = string(block, "type");
            if (!type.equals("text")) {
                throw ApiException.unsupported(block.path("type"),
                        block.path("type") + " must be text, got '" + Quote.shorten(type) + "': this model reads text only");
            }
            text.append(i == 0 ? "" : "\n").append(string(TEXT.check(block), "text"));
        }
        return text.toString();
    }

    private static String string(JsonFields object, String field) {
        return JsonFields.string(object.require(field), object.path(field));
    }
}

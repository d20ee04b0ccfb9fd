package dev.ringside.api;

import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reads the bodies of {@code POST /v1/messages} and {@code /v1/messages/count_tokens}. */
final class MessagesParser {

    /** Fields that a chat takes too, under the same name. */
    private static final List<String> SHARED = List.of("model", "temperature", "top_p", "top_k", "min_p", "presence_penalty",
            "frequency_penalty", "repetition_penalty", "seed", "logit_bias", "priority", "timeout", "chat_template_kwargs");
    private static final KnownFields FIELDS = KnownFields.of(MessageFields.ALL);
    private static final KnownFields THINKING = KnownFields.of("type", "budget_tokens", "display");
    private static final KnownFields OUTPUT_CONFIG = KnownFields.of("effort", "format");
    private static final KnownFields FORMAT = KnownFields.of("type", "schema");
    private static final KnownFields METADATA = KnownFields.of("user_id");

    private MessagesParser() {}

    /** @param counting whether only tokens are to be counted, so that {@code max_tokens} may be absent */
    static MessagesRequest parse(JsonNode node, boolean counting) {
        JsonFields body = FIELDS.check(JsonFields.root(node));
        refuse(body);
        ChatBody chat = new ChatBody();
        SHARED.forEach(field -> chat.copy(body, field, field));
        if (!counting) {
            body.require("max_tokens");
        }
        chat.copy(body, "max_tokens", "max_completion_tokens");
        chat.copy(body, "stop_sequences", "stop");
        chat.copy(body, "stream", "stream");
        MessageTools.translate(body, chat);
        outputConfig(body, chat);

        JsonNode system = body.find("system");
        if (system != null) {
            String text = MessageBlocks.text(system, "system");
            if (!text.isEmpty()) {
                chat.message("system", text, "system");
            }
        }
        MessageBlocks.add(body.require("messages"), chat);
        MessagesRequest.Thinking thinking = thinking(body);
        return new MessagesRequest(chat, body.bool("stream", false), thinking);
    }

    private static void refuse(JsonFields body) {
        UnsupportedFields.refuse(body, MessageFields.ALL);
        word(body, "service_tier", "auto", "standard_only");
        word(body, "speed", "standard");
        JsonFields metadata = body.object("metadata");
        if (metadata != null) {
            METADATA.check(metadata).string("user_id");
        }
    }

    private static void word(JsonFields body, String field, String... allowed) {
        String value = body.string(field);
        if (value != null && !List.of(allowed).contains(value)) {
            throw ApiException.invalidValue(body.path(field), body.path(field) + " must be " + String.join(" or ", allowed) + ", got '"
                    + Quote.shorten(value) + "'");
        }
    }

    private static void outputConfig(JsonFields body, ChatBody chat) {
        JsonFields config = body.object("output_config");
        if (config == null) {
            return;
        }
        chat.copy(OUTPUT_CONFIG.check(config), "effort", "reasoning_effort");
        JsonFields format = config.object("format");
        if (format != null) {
            FORMAT.check(format);
            word(format, "type", "json_schema");
            format.require("type");
            ObjectNode translated = JsonNodeFactory.instance.objectNode().put("type", "json_schema");
            translated.putObject("json_schema").put("name", "output").put("strict", true).set("schema", format.require("schema"));
            chat.set("response_format", translated, "output_config.format");
            chat.names().add("response_format.json_schema", "output_config.format");
        }
    }

    private static MessagesRequest.Thinking thinking(JsonFields body) {
        JsonFields thinking = body.object("thinking");
        if (thinking == null) {
            return MessagesRequest.Thinking.DEFAULT;
        }
        THINKING.check(thinking).require("type");
        word(thinking, "type", "enabled", "adaptive", "disabled");
        word(thinking, "display", "summarized", "omitted");
        thinking.integer("budget_tokens");
        if ("disabled".equals(thinking.string("type"))) {
            return MessagesRequest.Thinking.OFF;
        }
        return "omitted".equals(thinking.string("display")) ? MessagesRequest.Thinking.HIDDEN : MessagesRequest.Thinking.ON;
    }
}

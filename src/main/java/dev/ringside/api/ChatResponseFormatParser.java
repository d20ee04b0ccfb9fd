package dev.ringside.api;

import tools.jackson.databind.JsonNode;

/** Reads {@code response_format} of a chat completion. */
final class ChatResponseFormatParser {

    private ChatResponseFormatParser() {}

    static ChatResponseFormat parse(JsonFields body) {
        JsonFields format = body.object("response_format");
        if (format == null) {
            return ChatResponseFormat.Plain.TEXT;
        }
        String type = JsonFields.string(format.require("type"), format.path("type"));
        return switch (type) {
            case "text" -> ChatResponseFormat.Plain.TEXT;
            case "json_object" -> ChatResponseFormat.Plain.JSON_OBJECT;
            case "json_schema" -> schema(JsonFields.of(format.require("json_schema"), format.path("json_schema")));
            default -> throw ApiException.invalidValue(format.path("type"),
                    format.path("type") + " must be text, json_object or json_schema, got '" + Quote.shorten(type) + "'");
        };
    }

    /** @param format with the fields {@code name}, {@code schema} and {@code strict} */
    static ChatResponseFormat.JsonSchema schema(JsonFields format) {
        String path = format.path("name");
        String name = ChatToolsParser.name(JsonFields.string(format.require("name"), path), path);
        JsonNode schema = format.require("schema");
        if (!schema.isObject()) {
            throw ApiException.wrongType(format.path("schema"), "an object", JsonFields.kind(schema));
        }
        return new ChatResponseFormat.JsonSchema(name, JsonValues.map(schema), format.bool("strict", false));
    }
}

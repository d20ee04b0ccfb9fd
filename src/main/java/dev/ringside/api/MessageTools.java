package dev.ringside.api;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Translates {@code tools} and {@code tool_choice} of {@code /v1/messages} to those of a chat. */
final class MessageTools {

    // Caching is by prefix and by itself; streamed arguments are always eager.
    private static final KnownFields TOOL = KnownFields.of("type", "name", "description", "input_schema", "strict", "cache_control",
            "eager_input_streaming");
    private static final KnownFields CHOICE = KnownFields.of("type", "name", "disable_parallel_tool_use");

    private MessageTools() {}

    static void translate(JsonFields body, ChatBody chat) {
        JsonNode tools = body.find("tools");
        if (tools != null) {
            tools(tools, chat);
        }
        JsonFields choice = body.object("tool_choice");
        if (choice != null) {
            choice(CHOICE.check(choice), chat);
        }
    }

    private static void tools(JsonNode tools, ChatBody chat) {
        if (!tools.isArray()) {
            throw ApiException.wrongType("tools", "an array", JsonFields.kind(tools));
        }
        ArrayNode translated = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < tools.size(); i++) {
            String path = "tools[" + i + "]";
            JsonFields tool = JsonFields.of(tools.get(i), path);
            String type = tool.string("type");
            if (type != null && !type.equals("custom")) {
                throw ApiException.unsupported(tool.path("type"),
                        tool.path("type") + " must be custom or absent, got '" + Quote.shorten(type)
                                + "': tools of Anthropic's service are not built in here");
            }
            TOOL.check(tool);
            chat.names().add(path + ".function", path);
            chat.names().add(path + ".function.parameters", path + ".input_schema");
            ObjectNode function = translated.addObject().put("type", "function").putObject("function");
            function.set("name", tool.require("name"));
            function.set("parameters", tool.require("input_schema"));
            JsonNode description = tool.find("description");
            if (description != null) {
                function.set("description", description);
            }
            JsonNode strict = tool.find("strict");
            if (strict != null) {
                function.set("strict", strict);
            }
        }
        chat.set("tools", translated, "tools");
    }

    private static void choice(JsonFields choice, ChatBody chat) {
        String type = JsonFields.string(choice.require("type"), choice.path("type"));
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        switch (type) {
            case "auto", "none" -> chat.set("tool_choice", nodes.stringNode(type), "tool_choice");
            case "any" -> chat.set("tool_choice", nodes.stringNode("required"), "tool_choice");
            case "tool" -> {
                ObjectNode named = nodes.objectNode().put("type", "function");
                named.putObject("function").set("name", choice.require("name"));
                chat.set("tool_choice", named, "tool_choice");
                chat.names().add("tool_choice.function", "tool_choice");
            }
            default -> throw ApiException.invalidValue(choice.path("type"),
                    choice.path("type") + " must be auto, any, tool or none, got '" + Quote.shorten(type) + "'");
        }
        if (choice.bool("disable_parallel_tool_use", false)) {
            chat.set("parallel_tool_calls", nodes.booleanNode(false), "tool_choice.disable_parallel_tool_use");
        }
    }
}

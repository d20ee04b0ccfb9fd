package dev.ringside.api;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Translates {@code tools}, {@code tool_choice} and {@code text.format} of {@code /v1/responses} to those of a chat. */
final class ResponseTools {

    private static final KnownFields TOOL = KnownFields.of("type", "name", "description", "parameters", "strict");
    private static final KnownFields TEXT = KnownFields.of("format", "verbosity");
    private static final KnownFields FORMAT = KnownFields.of("type", "name", "schema", "strict", "description");
    private static final KnownFields CHOICE = KnownFields.of("type", "name", "mode", "tools");

    private ResponseTools() {}

    static void translate(JsonFields body, ChatBody chat) {
        JsonNode tools = body.find("tools");
        JsonNode choice = body.find("tool_choice");
        Set<String> allowed = choice != null && choice.isObject() ? choice(JsonFields.of(choice, "tool_choice"), chat) : null;
        if (choice != null && !choice.isObject()) {
            JsonFields.string(choice, "tool_choice");
            chat.set("tool_choice", choice, "tool_choice");
        }
        if (tools != null) {
            tools(tools, allowed, chat);
        }
        JsonFields text = body.object("text");
        if (text != null) {
            format(TEXT.check(text), chat);
        }
    }

    private static void tools(JsonNode tools, @Nullable Set<String> allowed, ChatBody chat) {
        if (!tools.isArray()) {
            throw ApiException.wrongType("tools", "an array", JsonFields.kind(tools));
        }
        ArrayNode translated = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < tools.size(); i++) {
            JsonFields tool = JsonFields.of(tools.get(i), "tools[" + i + "]");
            requireFunction(tool);
            TOOL.check(tool);
            String name = JsonFields.string(tool.require("name"), tool.path("name"));
            if (allowed == null || allowed.contains(name)) {
                chat.names().add("tools[" + translated.size() + "].function", "tools[" + i + "]");
                chat.names().add("tools[" + translated.size() + "]", "tools[" + i + "]");
                ObjectNode function = translated.addObject().put("type", "function").putObject("function");
                for (String field : new String[] {"name", "description", "parameters", "strict"}) {
                    JsonNode value = tool.find(field);
                    if (value != null) {
                        function.set(field, value);
                    }
                }
            }
        }
        chat.set("tools", translated, "tools");
    }

    private static void requireFunction(JsonFields tool) {
        String type = JsonFields.string(tool.require("type"), tool.path("type"));
        if (!type.equals("function")) {
            throw ApiException.unsupported(tool.path("type"), tool.path("type") + " must be function, got '" + Quote.shorten(type)
                    + "': built-in and custom tools run at OpenAI, this server has none");
        }
    }

    /** The names of the tools that may be used, or null when there is no such list. */
    private static @Nullable Set<String> choice(JsonFields choice, ChatBody chat) {
        CHOICE.check(choice);
        String type = JsonFields.string(choice.require("type"), choice.path("type"));
        ObjectNode translated = JsonNodeFactory.instance.objectNode().put("type", "function");
        return switch (type) {
            case "function" -> {
                translated.putObject("function").set("name", choice.require("name"));
                chat.set("tool_choice", translated, "tool_choice");
                chat.names().add("tool_choice.function", "tool_choice");
                yield null;
            }
            case "allowed_tools" -> {
                chat.set("tool_choice", choice.require("mode"), "tool_choice.mode");
                yield names(choice.require("tools"));
            }
            default -> throw ApiException.unsupported(choice.path("type"),
                    choice.path("type") + " must be function or allowed_tools, got '" + Quote.shorten(type) + "'");
        };
    }

    private static Set<String> names(JsonNode tools) {
        if (!tools.isArray()) {
            throw ApiException.wrongType("tool_choice.tools", "an array", JsonFields.kind(tools));
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < tools.size(); i++) {
            JsonFields tool = JsonFields.of(tools.get(i), "tool_choice.tools[" + i + "]");
            requireFunction(tool);
            names.add(JsonFields.string(tool.require("name"), tool.path("name")));
        }
        return names;
    }

    private static void format(JsonFields text, ChatBody chat) {
        JsonFields format = text.object("format");
        if (format == null) {
            return;
        }
        FORMAT.check(format);
        JsonNode type = format.require("type");
        ObjectNode translated = JsonNodeFactory.instance.objectNode();
        translated.set("type", type);
        if (JsonFields.string(type, format.path("type")).equals("json_schema")) {
            ObjectNode schema = translated.putObject("json_schema");
            schema.set("name", format.require("name"));
            schema.set("schema", format.require("schema"));
            for (String field : new String[] {"strict", "description"}) {
                JsonNode value = format.find(field);
                if (value != null) {
                    schema.set(field, value);
                }
            }
            chat.names().add("response_format.json_schema", "text.format");
        }
        chat.set("response_format", translated, "text.format");
    }
}

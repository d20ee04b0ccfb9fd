package dev.ringside.api;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads {@code tools}, {@code tool_choice} and {@code parallel_tool_calls} of a chat completion. */
final class ChatToolsParser {

    /** OpenAI's limits. */
    static final int MAX_TOOLS = 128;
    static final int MAX_NAME_LENGTH = 64;

    private ChatToolsParser() {}

    static ChatTools parse(JsonFields body) {
        List<ChatTool> tools = tools(body);
        JsonNode chosen = body.find("tool_choice");
        if (chosen != null && chosen.isObject() && isAllowedTools(JsonFields.of(chosen, "tool_choice"))) {
            return allowed(JsonFields.of(chosen, "tool_choice"), tools, body.bool("parallel_tool_calls", true));
        }
        ChatToolChoice choice = choice(chosen, tools);
        boolean parallel = body.bool("parallel_tool_calls", true);
        return tools.isEmpty() ? ChatTools.NONE : new ChatTools(tools, choice, parallel);
    }

    /** Refuses two tools of one name. */
    static void refuseDuplicates(List<ChatTool> tools, String path) {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < tools.size(); i++) {
            if (!names.add(tools.get(i).name())) {
                throw ApiException.invalidValue(path + "[" + i + "]", path + "[" + i + "] repeats the name '" + tools.get(i).name()
                        + "': names of tools must differ");
            }
        }
    }

    /** A function's name within OpenAI's limits. */
    static String name(String name, String path) {
        boolean valid = !name.isEmpty() && name.length() <= MAX_NAME_LENGTH && name.chars()
                .allMatch(c -> c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-');
        if (!valid) {
            throw ApiException.invalidValue(path, path + " must be 1 to " + MAX_NAME_LENGTH
                    + " letters, digits, underscores and dashes, got '" + Quote.shorten(name) + "'");
        }
        return name;
    }

    /** A function's parameters: absent, or a schema whose values are objects. */
    static @Nullable Map<String, @Nullable Object> parameters(JsonFields function, String field) {
        JsonFields schema = function.object(field);
        if (schema == null) {
            return null;
        }
        JsonNode type = schema.find("type");
        if (type != null && !(type.isString() && type.stringValue().equals("object"))) {
            throw ApiError.badRequest(schema.path("type"), "invalid_function_parameters",
                    schema.path("type") + " must be \"object\": arguments are passed by name").toException();
        }
        JsonNode properties = schema.find("properties");
        if (properties != null && !properties.isObject()) {
            throw ApiException.wrongType(schema.path("properties"), "an object", JsonFields.kind(properties));
        }
        return JsonValues.map(function.require(field));
    }

    private static List<ChatTool> tools(JsonFields body) {
        JsonNode array = body.find("tools");
        if (array == null) {
            return List.of();
        }
        if (!array.isArray()) {
            throw ApiException.wrongType("tools", "an array", JsonFields.kind(array));
        }
        if (array.size() > MAX_TOOLS) {
            throw ApiException.invalidValue("tools", "tools takes at most " + MAX_TOOLS + " tools, got " + array.size());
        }
        List<ChatTool> tools = new ArrayList<>(array.size());
        for (int i = 0; i < array.size(); i++) {
            tools.add(tool(JsonFields.of(array.get(i), "tools[" + i + "]")));
        }
        refuseDuplicates(tools, "tools");
        return tools;
    }

    private static ChatTool tool(JsonFields tool) {
        String type = JsonFields.string(tool.require("type"), tool.path("type"));
        if (!type.equals("function")) {
            throw ApiException.unsupported(tool.path("type"), tool.path("type") + " must be function, got '" + Quote.shorten(type)
                    + "': this server knows no other tools");
        }
        JsonFields function = JsonFields.of(tool.require("function"), tool.path("function"));
        String path = function.path("name");
        return new ChatTool(name(JsonFields.string(function.require("name"), path), path), function.string("description"),
                parameters(function, "parameters"), function.bool("strict", false));
    }

    private static boolean isAllowedTools(JsonFields choice) {
        return JsonFields.string(choice.require("type"), choice.path("type")).equals("allowed_tools");
    }

    /** Of the tools only those on a list may be called, as if there were no others. */
    private static ChatTools allowed(JsonFields choice, List<ChatTool> tools, boolean parallel) {
        JsonFields allowed = JsonFields.of(choice.require("allowed_tools"), choice.path("allowed_tools"));
        String mode = JsonFields.string(allowed.require("mode"), allowed.path("mode"));
        if (!mode.equals("auto") && !mode.equals("required")) {
            throw ApiException.invalidValue(allowed.path("mode"),
                    allowed.path("mode") + " must be auto or required, got '" + Quote.shorten(mode) + "'");
        }
        JsonNode list = allowed.require("tools");
        if (!list.isArray()) {
            throw ApiException.wrongType(allowed.path("tools"), "an array", JsonFields.kind(list));
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < list.size(); i++) {
            names.add(((ChatToolChoice.Named) named(JsonFields.of(list.get(i), allowed.path("tools") + "[" + i + "]"), tools)).name());
        }
        List<ChatTool> callable = tools.stream().filter(tool -> names.contains(tool.name())).toList();
        if (!callable.isEmpty()) {
            return new ChatTools(callable, mode(mode), parallel);
        }
        if (mode.equals("required")) {
            throw ApiException.invalidValue(allowed.path("tools"), allowed.path("tools") + " must name a tool when one is required");
        }
        return ChatTools.NONE;
    }

    private static ChatToolChoice choice(@Nullable JsonNode choice, List<ChatTool> tools) {
        if (choice == null) {
            return tools.isEmpty() ? ChatToolChoice.Mode.NONE : ChatToolChoice.Mode.AUTO;
        }
        ChatToolChoice chosen = choice.isString() ? mode(choice.stringValue()) : named(JsonFields.of(choice, "tool_choice"), tools);
        if (chosen.isForced() && tools.isEmpty()) {
            throw ApiException.invalidValue("tool_choice", "tool_choice is only allowed when tools are specified");
        }
        return chosen;
    }

    private static ChatToolChoice mode(String word) {
        return switch (word) {
            case "none" -> ChatToolChoice.Mode.NONE;
            case "auto" -> ChatToolChoice.Mode.AUTO;
            case "required" -> ChatToolChoice.Mode.REQUIRED;
            default -> throw ApiException.invalidValue("tool_choice",
                    "tool_choice must be none, auto, required or an object that names a function, got '" + Quote.shorten(word) + "'");
        };
    }

    private static ChatToolChoice named(JsonFields choice, List<ChatTool> tools) {
        String type = JsonFields.string(choice.require("type"), choice.path("type"));
        if (!type.equals("function")) {
            String or = choice.path("type").equals("tool_choice.type") ? " or allowed_tools" : "";
            throw ApiException.unsupported(choice.path("type"),
                    choice.path("type") + " must be function" + or + ", got '" + Quote.shorten(type) + "'");
        }
        JsonFields function = JsonFields.of(choice.require("function"), choice.path("function"));
        String name = JsonFields.string(function.require("name"), function.path("name"));
        if (tools.stream().noneMatch(tool -> tool.name().equals(name))) {
            throw ApiException.invalidValue(function.path("name"), "tool_choice names the function '" + Quote.shorten(name)
                    + "', which is not among the tools");
        }
        return new ChatToolChoice.Named(name);
    }
}

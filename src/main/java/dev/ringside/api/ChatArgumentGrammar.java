package dev.ringside.api;

import dev.ringside.sampling.grammar.Grammar;
import dev.ringside.sampling.grammar.JsonGrammar;
import dev.ringside.sampling.grammar.JsonSchemas;
import dev.ringside.sampling.grammar.UnsupportedSchemaException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The arguments of a call as a grammar. */
final class ChatArgumentGrammar {

    /** What a schema of a string may say when its value is plain text up to a mark. */
    private static final Set<String> ANNOTATIONS = Set.of("type", "description", "title", "default", "examples", "$comment", "deprecated");

    private ChatArgumentGrammar() {}

    /** Arguments as one JSON object. What can't be enforced is refused for a strict tool; any object will do for others. */
    static Grammar json(ChatTool tool) {
        Map<String, ? extends @Nullable Object> parameters = tool.parameters();
        if (parameters == null) {
            return Grammar.literal("{}");
        }
        if (!parameters.containsKey("type") && !parameters.containsKey("properties")) {
            return JsonGrammar.anyObject();
        }
        Map<String, @Nullable Object> schema = new LinkedHashMap<>(parameters);
        schema.put("type", "object");
        try {
            return JsonSchemas.compile(schema);
        } catch (UnsupportedSchemaException e) {
            if (tool.strict()) {
                throw unsupported(tool, e);
            }
            return JsonGrammar.anyObject();
        }
    }

    /** Whether formats that write values without quotes can say what the schema says. Otherwise the call is written in JSON. */
    static boolean canBeText(ChatTool tool) {
        Map<String, ? extends @Nullable Object> parameters = tool.parameters();
        if (parameters == null) {
            return true;
        }
        if (!(parameters.get("properties") instanceof Map<?, ?> properties) || properties.isEmpty()) {
            return parameters.get("properties") instanceof Map<?, ?> && Boolean.FALSE.equals(parameters.get("additionalProperties"));
        }
        for (Map.Entry<?, ?> property : properties.entrySet()) {
            if (!isKey(String.valueOf(property.getKey())) || tool.strict() && !isExpressible(property.getValue())) {
                return false;
            }
        }
        return true;
    }

    /**
     * Arguments one by one in the order of the schema, those that are not required being optional.
     *
     * @param before what stands before the value of a key
     * @param gap what stands between a value and the tag
     * @param tag ends a value, which therefore can't contain it
     */
    static Grammar text(ChatTool tool, UnaryOperator<String> before, String gap, String tag) {
        List<Grammar> parts = new ArrayList<>();
        if (tool.parameters() != null && tool.parameters().get("properties") instanceof Map<?, ?> properties) {
            Object required = tool.parameters().get("required");
            properties.forEach((name, schema) -> {
                Grammar value = Grammar.sequence(Grammar.literal(before.apply(String.valueOf(name))), value(tool, schema, gap, tag));
                parts.add(required instanceof List<?> names && names.contains(name) ? value : Grammar.optional(value));
            });
        }
        return parts.isEmpty() ? Grammar.repeat(Grammar.literal(" "), 0, 0) : Grammar.sequence(parts.toArray(Grammar[]::new));
    }

    private static Grammar value(ChatTool tool, @Nullable Object schema, String gap, String tag) {
        Grammar text = Grammar.sequence(Grammar.textUntil(tag), Grammar.literal("\n"));
        String after = gap + tag + "\n";
        if (!(schema instanceof Map<?, ?> object)) {
            return text;
        }
        if ("string".equals(object.get("type"))) {
            return object.get("enum") instanceof List<?> words && !words.isEmpty() ? words(words, after) : text;
        }
        if (object.get("type") instanceof List<?> types && types.contains("string") || !object.containsKey("type")) {
            return text;
        }
        Map<String, @Nullable Object> complete = new LinkedHashMap<>();
        object.forEach((key, value) -> complete.put(String.valueOf(key), value));
        for (String definitions : List.of("$defs", "definitions")) {
            Object shared = tool.parameters() == null ? null : tool.parameters().get(definitions);
            if (shared != null) {
                complete.putIfAbsent(definitions, shared);
            }
        }
        try {
            return Grammar.sequence(JsonSchemas.compile(complete), Grammar.literal(after));
        } catch (UnsupportedSchemaException e) {
            if (tool.strict()) {
                throw unsupported(tool, e);
            }
            return text;
        }
    }

    private static Grammar words(List<?> words, String after) {
        List<Grammar> all = new ArrayList<>();
        words.forEach(word -> all.add(Grammar.literal(word + after)));
        return Grammar.alternatives(all);
    }

    /** A key that tags can hold. */
    private static boolean isKey(String key) {
        return !key.isEmpty() && key.chars().noneMatch(c -> c <= ' ' || c == '<' || c == '>');
    }

    private static boolean isExpressible(@Nullable Object schema) {
        if (!(schema instanceof Map<?, ?> object) || !(object.get("type") instanceof String type)) {
            return false;
        }
        return !type.equals("string")
                || object.keySet().stream().allMatch(keyword -> ANNOTATIONS.contains(keyword) || "enum".equals(keyword));
    }

    private static ApiException unsupported(ChatTool tool, UnsupportedSchemaException e) {
        return ApiError.badRequest("tools", "invalid_function_parameters",
                "The parameters of the strict function '" + tool.name() + "' can't be enforced: " + e.getMessage() + " (at " + e.path()
                        + ")")
                .toException();
    }
}

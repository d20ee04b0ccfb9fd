package dev.ringside.chat;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The names of a request's tools and the kinds of their parameters, for formats in which the model writes values without quotes. Immutable.
 */
public final class ToolCatalog {

    /** No tools. */
    public static final ToolCatalog EMPTY = new ToolCatalog(Map.of());

    /** What the schema of a parameter lets its value be. */
    enum ValueKind {
        /** Always a string. */
        TEXT,
        /** Never a string. */
        VALUE,
        /** A string, unless it reads as another JSON value. */
        ANY,
        /** A string or null. */
        TEXT_OR_NULL;

        boolean admits(String json) {
            return switch (this) {
                case TEXT -> false;
                case VALUE, ANY -> true;
                case TEXT_OR_NULL -> json.equals("null");
            };
        }
    }

    private static final int MOST_SCHEMAS = 256;

    private final Map<String, Map<String, ValueKind>> tools;

    private ToolCatalog(Map<String, Map<String, ValueKind>> tools) {
        this.tools = tools;
    }

    /** @param tools {@code {"type": "function", "function": {"name": ..., "parameters": schema}}} each; what is of another shape is left out */
    public static ToolCatalog of(List<? extends Map<String, ?>> tools) {
        Map<String, Map<String, ValueKind>> catalog = new HashMap<>();
        for (Map<String, ?> tool : tools) {
            if (tool.get("function") instanceof Map<?, ?> function && function.get("name") instanceof String name) {
                catalog.put(name, parameters(function.get("parameters")));
            }
        }
        return new ToolCatalog(Map.copyOf(catalog));
    }

    public boolean isEmpty() {
        return tools.isEmpty();
    }

    public Set<String> names() {
        return tools.keySet();
    }

    /** What a parameter may be; a string when nothing is known of it. */
    ValueKind kind(String tool, String parameter) {
        Map<String, ValueKind> parameters = tools.get(tool);
        return parameters == null ? ValueKind.TEXT : parameters.getOrDefault(parameter, ValueKind.TEXT);
    }

    /** A parameter's kind together with its name's existence; for catalogues of no tools at all every value is text. */
    private static Map<String, ValueKind> parameters(@Nullable Object schema) {
        if (!(schema instanceof Map<?, ?> object) || !(object.get("properties") instanceof Map<?, ?> properties)) {
            return Map.of();
        }
        Map<String, ValueKind> kinds = new HashMap<>();
        properties.forEach((name, property) -> kinds.put(String.valueOf(name), kind(property, object)));
        return Map.copyOf(kinds);
    }

    private static ValueKind kind(@Nullable Object property, Map<?, ?> root) {
        boolean text = false;
        boolean nothing = false;
        boolean other = false;
        boolean anything = false;
        Deque<Object> schemas = new ArrayDeque<>();
        if (property != null) {
            schemas.add(property);
        }
        for (int seen = 0; !schemas.isEmpty() && seen < MOST_SCHEMAS; seen++) {
            if (!(schemas.poll() instanceof Map<?, ?> schema)) {
                anything = true;
                continue;
            }
            if (schema.get("$ref") instanceof String reference && target(reference, root) instanceof Map<?, ?> target) {
                schemas.add(target);
                continue;
            }
            Collection<?> alternatives = alternatives(schema);
            if (!alternatives.isEmpty()) {
                alternatives.forEach(schemas::add);
                continue;
            }
            Collection<?> types = types(schema);
            anything |= types.isEmpty();
            for (Object type : types) {
                text |= "string".equals(type);
                nothing |= "null".equals(type);
                other |= !"string".equals(type) && !"null".equals(type);
            }
        }
        if (anything || text && other) {
            return ValueKind.ANY;
        }
        return text ? nothing ? ValueKind.TEXT_OR_NULL : ValueKind.TEXT : ValueKind.VALUE;
    }

    private static Collection<?> alternatives(Map<?, ?> schema) {
        for (String keyword : List.of("anyOf", "oneOf", "allOf")) {
            if (schema.get(keyword) instanceof List<?> list) {
                return list.stream().filter(Map.class::isInstance).toList();
            }
        }
        return List.of();
    }

    private static Collection<?> types(Map<?, ?> schema) {
        if (schema.get("type") instanceof String type) {
            return List.of(type);
        }
        if (schema.get("type") instanceof List<?> list) {
            return list;
        }
        if (schema.get("enum") instanceof List<?> values) {
            return values.stream().map(ToolCatalog::typeOf).toList();
        }
        return schema.containsKey("const") ? List.of(typeOf(schema.get("const"))) : List.of();
    }

    private static String typeOf(@Nullable Object value) {
        return value == null ? "null" : value instanceof String ? "string" : "other";
    }

    private static @Nullable Object target(String reference, Map<?, ?> root) {
        String path = reference.startsWith("#/$defs/") ? "$defs" : reference.startsWith("#/definitions/") ? "definitions" : "";
        return !path.isEmpty() && root.get(path) instanceof Map<?, ?> definitions
                ? definitions.get(reference.substring(path.length() + 3))
                : null;
    }
}

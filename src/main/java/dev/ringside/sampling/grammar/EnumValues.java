package dev.ringside.sampling.grammar;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code enum} and {@code const}. */
final class EnumValues {

    private EnumValues() {}

    static List<@Nullable Object> list(Schema schema) {
        if (!(schema.get("enum") instanceof List<?> list) || list.isEmpty()) {
            throw schema.error("enum", "expected a list of at least one value");
        }
        return new ArrayList<>(list);
    }

    /** The values that {@code enum}, {@code const} and {@code type} leave, or {@code null} when the schema names none. */
    static @Nullable List<@Nullable Object> of(Schema schema) {
        if (!schema.has("enum") && !schema.has("const")) {
            return null;
        }
        List<@Nullable Object> values = new ArrayList<>();
        if (schema.has("enum")) {
            values.addAll(list(schema));
        } else {
            values.add(schema.get("const"));
        }
        if (schema.has("const")) {
            Object only = JsonConstants.canonical(schema.get("const"));
            values.removeIf(value -> !Objects.equals(JsonConstants.canonical(value), only));
        }
        List<String> types = schema.types();
        if (types != null) {
            values.removeIf(value -> !fits(JsonConstants.type(value), types));
        }
        refuseRestrictions(schema, values);
        return values;
    }

    private static boolean fits(String type, List<String> types) {
        return types.contains(type) || type.equals("integer") && types.contains("number");
    }

    private static void refuseRestrictions(Schema schema, List<@Nullable Object> values) {
        for (String keyword : schema.keywords().keySet()) {
            for (Object value : values) {
                Set<String> relevant = switch (JsonConstants.type(value)) {
                    case "string" -> SchemaKeywords.FOR_STRINGS;
                    case "integer", "number" -> SchemaKeywords.FOR_NUMBERS;
                    case "array" -> SchemaKeywords.FOR_ARRAYS;
                    case "object" -> SchemaKeywords.FOR_OBJECTS;
                    default -> Set.of();
                };
                if (relevant.contains(keyword)) {
                    throw schema.error(keyword, "it can't be combined with enum or const; leave out the values that it forbids");
                }
            }
        }
    }
}

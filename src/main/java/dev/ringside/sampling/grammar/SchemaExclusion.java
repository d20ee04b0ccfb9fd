package dev.ringside.sampling.grammar;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Proves that no instance fits two branches of a {@code oneOf}: they differ in type, in their listed values, or in the listed values of a property
 * that both require. Where there is no such proof {@code oneOf} is refused.
 */
final class SchemaExclusion {

    private static final int MAX_REFERENCES = 50;

    private final SchemaIndex index;

    SchemaExclusion(SchemaIndex index) {
        this.index = index;
    }

    void requireExclusive(Schema schema) {
        List<Object> branches = schema.schemas("oneOf");
        for (int i = 0; i < branches.size(); i++) {
            for (int k = i + 1; k < branches.size(); k++) {
                if (!exclusive(branches.get(i), branches.get(k))) {
                    throw schema.error("oneOf", "branches " + i + " and " + k
                            + " are not plainly exclusive; use anyOf, different types, or a required property with different const values");
                }
            }
        }
    }

    private boolean exclusive(Object first, Object second) {
        if (Boolean.FALSE.equals(first) || Boolean.FALSE.equals(second)) {
            return true;
        }
        Schema a = shallow(first);
        Schema b = shallow(second);
        return a != null && b != null && (valuesDiffer(a, b) || typesDiffer(a, b) || propertyDiffers(a, b));
    }

    /** The keywords next to each other in a schema, behind references. */
    private @Nullable Schema shallow(Object schema) {
        Object at = schema;
        for (int i = 0; i < MAX_REFERENCES && at instanceof Map<?, ?> map; i++) {
            Object reference = map.get("$ref");
            if (reference == null || map.containsKey("type") || map.containsKey("const") || map.containsKey("enum")) {
                Map<String, @Nullable Object> keywords = new LinkedHashMap<>();
                map.forEach((key, value) -> keywords.put(String.valueOf(key), value));
                return new Schema(keywords, index.path(map));
            }
            at = index.resolve(map, reference);
        }
        return null;
    }

    private static boolean typesDiffer(Schema a, Schema b) {
        Set<String> types = types(a);
        types.retainAll(types(b));
        return types.isEmpty();
    }

    private static Set<String> types(Schema schema) {
        List<String> named = schema.types();
        Set<String> types = new HashSet<>(named == null ? SchemaKeywords.TYPES : named);
        if (types.contains("number")) {
            types.add("integer");
        }
        return types;
    }

    private static boolean valuesDiffer(Schema a, Schema b) {
        Set<@Nullable Object> values = values(a);
        Set<@Nullable Object> others = values(b);
        if (values == null || others == null) {
            return false;
        }
        return values.stream().noneMatch(others::contains);
    }

    private static @Nullable Set<@Nullable Object> values(Schema schema) {
        if (schema.has("const")) {
            Set<@Nullable Object> one = new HashSet<>();
            one.add(JsonConstants.canonical(schema.get("const")));
            return one;
        }
        if (!schema.has("enum")) {
            return null;
        }
        Set<@Nullable Object> all = new HashSet<>();
        EnumValues.list(schema).forEach(value -> all.add(JsonConstants.canonical(value)));
        return all;
    }

    private boolean propertyDiffers(Schema a, Schema b) {
        // Both must be objects, or the property says nothing.
        if (!types(a).equals(Set.of("object")) || !types(b).equals(Set.of("object"))) {
            return false;
        }
        List<String> names = new ArrayList<>(a.names("required"));
        names.retainAll(b.names("required"));
        Map<String, Object> ofA = a.named("properties");
        Map<String, Object> ofB = b.named("properties");
        for (String name : names) {
            Object inA = ofA.get(name);
            Object inB = ofB.get(name);
            if (inA != null && inB != null) {
                Schema one = shallow(inA);
                Schema other = shallow(inB);
                if (one != null && other != null && (valuesDiffer(one, other) || typesDiffer(one, other))) {
                    return true;
                }
            }
        }
        return false;
    }
}

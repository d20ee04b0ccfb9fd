package dev.ringside.sampling.grammar;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Puts two sets of keywords together so that what fits the result is what fits both. */
final class SchemaMerger {

    private final SchemaIndex index;

    SchemaMerger(SchemaIndex index) {
        this.index = index;
    }

    /**
     * Adds keywords to those of {@code into}.
     *
     * @return false when nothing can fit both
     */
    boolean merge(Map<String, @Nullable Object> into, Schema added, String path) {
        if (into.isEmpty()) {
            into.putAll(added.keywords());
            return true;
        }
        Schema before = new Schema(new LinkedHashMap<>(into), path);
        mergeProperties(into, before, added);
        mergeItems(into, before, added);
        for (Map.Entry<String, @Nullable Object> entry : added.keywords().entrySet()) {
            String keyword = entry.getKey();
            if (!before.has(keyword)) {
                into.putIfAbsent(keyword, entry.getValue());
            } else if (!mergeKeyword(into, keyword, before, added)) {
                return false;
            }
        }
        return true;
    }

    private static boolean mergeKeyword(Map<String, @Nullable Object> into, String keyword, Schema a, Schema b) {
        switch (keyword) {
            case "type" -> {
                List<String> types = commonTypes(Objects.requireNonNull(a.types()), Objects.requireNonNull(b.types()));
                into.put(keyword, types);
                return !types.isEmpty();
            }
            case "enum", "const" -> {
                return mergeValues(into, keyword, a, b);
            }
            case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties" ->
                into.put(keyword, Objects.requireNonNull(a.number(keyword)).max(Objects.requireNonNull(b.number(keyword))));
            case "maximum", "exclusiveMaximum", "maxLength", "maxItems" ->
                into.put(keyword, Objects.requireNonNull(a.number(keyword)).min(Objects.requireNonNull(b.number(keyword))));
            case "required" -> {
                Set<String> names = new LinkedHashSet<>(a.names(keyword));
                names.addAll(b.names(keyword));
                into.put(keyword, new ArrayList<>(names));
            }
            case "uniqueItems" -> into.put(keyword, a.flag(keyword) || b.flag(keyword));
            case "pattern", "format", "multipleOf" -> {
                if (!Objects.equals(JsonConstants.canonical(a.get(keyword)), JsonConstants.canonical(b.get(keyword)))) {
                    throw b.error(keyword, "two different values can't be combined: " + a.get(keyword) + " and " + b.get(keyword));
                }
            }
            default -> {
                // properties, additionalProperties, items and prefixItems were merged before.
            }
        }
        return true;
    }

    private static List<String> commonTypes(List<String> a, List<String> b) {
        List<String> common = new ArrayList<>();
        for (String type : SchemaKeywords.TYPES) {
            boolean inA = a.contains(type) || type.equals("integer") && a.contains("number");
            boolean inB = b.contains(type) || type.equals("integer") && b.contains("number");
            if (inA && inB) {
                common.add(type);
            }
        }
        return common;
    }

    private static boolean mergeValues(Map<String, @Nullable Object> into, String keyword, Schema a, Schema b) {
        if (keyword.equals("const")) {
            return Objects.equals(JsonConstants.canonical(a.get(keyword)), JsonConstants.canonical(b.get(keyword)));
        }
        List<@Nullable Object> other = new ArrayList<>();
        EnumValues.list(b).forEach(value -> other.add(JsonConstants.canonical(value)));
        List<@Nullable Object> common = new ArrayList<>();
        EnumValues.list(a).forEach(value -> {
            if (other.contains(JsonConstants.canonical(value))) {
                common.add(value);
            }
        });
        into.put(keyword, common);
        return !common.isEmpty();
    }

    private void mergeProperties(Map<String, @Nullable Object> into, Schema a, Schema b) {
        if (!a.has("properties") && !a.has("additionalProperties") || !b.has("properties") && !b.has("additionalProperties")) {
            return;
        }
        Map<String, Object> ofA = a.named("properties");
        Map<String, Object> ofB = b.named("properties");
        Object restA = additional(a);
        Object restB = additional(b);
        Map<String, Object> merged = new LinkedHashMap<>();
        ofA.forEach((name, schema) -> merged.put(name, both(schema, ofB.getOrDefault(name, restB))));
        ofB.forEach((name, schema) -> merged.computeIfAbsent(name, n -> both(restA, schema)));
        into.put("properties", merged);
        if (a.has("additionalProperties") || b.has("additionalProperties")) {
            into.put("additionalProperties", both(restA, restB));
        }
    }

    private static Object additional(Schema schema) {
        return schema.has("additionalProperties")
                ? schema.schema("additionalProperties", schema.get("additionalProperties"))
                : Boolean.TRUE;
    }

    private void mergeItems(Map<String, @Nullable Object> into, Schema a, Schema b) {
        boolean inA = a.has("items") || a.has("prefixItems");
        boolean inB = b.has("items") || b.has("prefixItems");
        if (!inA || !inB) {
            return;
        }
        List<Object> ofA = a.schemas("prefixItems");
        List<Object> ofB = b.schemas("prefixItems");
        Object restA = a.has("items") ? a.schema("items", a.get("items")) : Boolean.TRUE;
        Object restB = b.has("items") ? b.schema("items", b.get("items")) : Boolean.TRUE;
        List<Object> prefix = new ArrayList<>();
        for (int i = 0; i < Math.max(ofA.size(), ofB.size()); i++) {
            prefix.add(both(i < ofA.size() ? ofA.get(i) : restA, i < ofB.size() ? ofB.get(i) : restB));
        }
        if (!prefix.isEmpty()) {
            into.put("prefixItems", prefix);
        }
        into.put("items", both(restA, restB));
    }

    /** A schema for what fits both; combined when its turn comes, so that recursive schemas come to an end. */
    private Object both(Object a, Object b) {
        if (a.equals(b) || Boolean.TRUE.equals(b) || Boolean.FALSE.equals(a)) {
            return a;
        }
        if (Boolean.TRUE.equals(a) || Boolean.FALSE.equals(b)) {
            return b;
        }
        Set<Object> parts = new LinkedHashSet<>(parts(a));
        parts.addAll(parts(b));
        Map<String, Object> combined = new LinkedHashMap<>();
        combined.put("allOf", new ArrayList<>(parts));
        index.derive(combined, a);
        return combined;
    }

    /** The schemas that one made by {@link #both} combines, so that combinations of combinations don't nest. */
    private static List<?> parts(Object schema) {
        return schema instanceof Map<?, ?> map && map.size() == 1 && map.get("allOf") instanceof List<?> list && !list.isEmpty()
                ? list
                : List.of(schema);
    }
}

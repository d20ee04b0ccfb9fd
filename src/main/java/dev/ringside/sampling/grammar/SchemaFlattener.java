package dev.ringside.sampling.grammar;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Resolves {@code $ref} and {@code allOf} of a schema into one set of keywords, and gathers the choices that {@code anyOf} and {@code oneOf} leave. */
final class SchemaFlattener {

    private static final int MAX_PARTS = 500;

    private final SchemaIndex index;
    private final SchemaMerger merger;
    private final SchemaExclusion exclusion;

    /**
     * @param own keywords other than references and combinations
     * @param choices groups of schemas; one of each group has to fit as well
     */
    record Flat(Schema own, List<List<Object>> choices) {}

    SchemaFlattener(SchemaIndex index) {
        this.index = index;
        merger = new SchemaMerger(index);
        exclusion = new SchemaExclusion(index);
    }

    /** The schema that {@code $ref} means when nothing else in a schema restricts instances. */
    @Nullable
    Object onlyReference(Map<?, ?> schema) {
        Schema checked = checked(schema);
        boolean alone = checked.has("$ref") && checked.keywords().keySet().stream().filter(SchemaKeywords::restricts).count() == 1;
        return alone ? index.resolve(schema, requireReference(checked)) : null;
    }

    private static Object requireReference(Schema schema) {
        Object reference = schema.get("$ref");
        if (reference == null) {
            throw schema.error("$ref", "expected a string, found null");
        }
        return reference;
    }

    /** @return {@code null} when nothing fits */
    @Nullable
    Flat flatten(Map<?, ?> schema) {
        Map<String, @Nullable Object> own = new LinkedHashMap<>();
        List<List<Object>> choices = new ArrayList<>();
        Set<Object> seen = new HashSet<>();
        Deque<Object> parts = new ArrayDeque<>();
        parts.add(schema);
        while (!parts.isEmpty()) {
            Object part = parts.removeFirst();
            if (Boolean.FALSE.equals(part)) {
                return null;
            }
            if (!(part instanceof Map<?, ?> map) || !seen.add(map)) {
                continue;
            }
            if (seen.size() > MAX_PARTS) {
                throw new UnsupportedSchemaException(index.path(schema), "allOf", "it combines more than " + MAX_PARTS + " schemas");
            }
            Schema checked = checked(map);
            List<Object> within = new ArrayList<>();
            if (checked.has("$ref")) {
                within.add(index.resolve(map, requireReference(checked)));
            }
            within.addAll(checked.schemas("allOf"));
            within.reversed().forEach(parts::addFirst);
            if (checked.has("anyOf")) {
                choices.add(checked.schemas("anyOf"));
            }
            if (checked.has("oneOf")) {
                exclusion.requireExclusive(checked);
                choices.add(checked.schemas("oneOf"));
            }
            if (!merger.merge(own, ownKeywords(checked), checked.path())) {
                return null;
            }
        }
        return new Flat(new Schema(own, index.path(schema)), choices);
    }

    private static Schema ownKeywords(Schema schema) {
        Map<String, @Nullable Object> own = new LinkedHashMap<>();
        schema.keywords().forEach((keyword, value) -> {
            boolean combines = keyword.equals("$ref") || keyword.equals("allOf") || keyword.equals("anyOf") || keyword.equals("oneOf");
            if (SchemaKeywords.restricts(keyword) && !combines) {
                own.put(keyword, value);
            }
        });
        List<String> types = schema.types();
        if (types != null) {
            own.put("type", types);
        } else if (schema.flag("nullable")) {
            throw schema.error("nullable", "it needs a type next to it; otherwise use anyOf with {\"type\": \"null\"}");
        }
        own.remove("nullable");
        return new Schema(own, schema.path());
    }

    /** @throws UnsupportedSchemaException naming the first keyword that is not enforced */
    private Schema checked(Map<?, ?> map) {
        Map<String, @Nullable Object> keywords = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            String keyword = String.valueOf(entry.getKey());
            if (SchemaKeywords.enforced(keyword)) {
                keywords.put(keyword, entry.getValue());
            } else if (!SchemaKeywords.annotation(keyword)) {
                throw new UnsupportedSchemaException(index.path(map), keyword, "this keyword is not supported");
            }
        }
        return new Schema(keywords, index.path(map));
    }
}

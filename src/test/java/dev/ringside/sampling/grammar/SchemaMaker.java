package dev.ringside.sampling.grammar;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

/** Draws schemas that have at least one instance. */
final class SchemaMaker {

    private static final List<String> NAMES = List.of("name", "na", "value", "id", "tags", "a\"b", "名前", "x/y~z", "");
    private static final List<String> PATTERNS = List.of("^[a-z]{1,5}$", "[0-9]", "^a|b$", "^(foo|bar)+$", "^\\d{3}-\\d{4}$",
            "^[^\"\\\\]{2}$", "^.?é*$", "\\w\\s\\w");

    private final Random random;
    private int definitions;

    SchemaMaker(Random random) {
        this.random = random;
    }

    Map<String, Object> document() {
        Map<String, Object> schema = object(3);
        Map<String, Object> tree = map("type", "object", "properties",
                map("label", string(), "children", map("type", "array", "items", map("$ref", "#/$defs/tree"), "maxItems", 2)), "required",
                List.of("label"),
                "additionalProperties", false);
        if (definitions > 0) {
            schema.put("$defs", map("tree", tree));
        }
        if (random.nextInt(4) == 0) {
            schema.put("title", "ignored");
            schema.put("description", "ignored too");
        }
        return schema;
    }

    private Map<String, Object> any(int depth) {
        return switch (random.nextInt(depth > 0 ? 15 : 8)) {
            case 0 -> string();
            case 1 -> integer();
            case 2 -> number();
            case 3 -> map("type", "boolean");
            case 4 -> map("enum", List.of("red", "gr\"een", 3, 4.5, true, List.of(1, "x"), map("k", List.of())));
            case 5 -> map("const", pick(List.of("fixed", 12, false, map("a", 1, "b", List.of(true)))));
            case 6 -> map("type", List.of("string", "null"), "maxLength", 4);
            case 7 -> random.nextBoolean() ? formatted() : patterned();
            case 8, 9 -> object(depth - 1);
            case 10, 11 -> array(depth - 1);
            case 12 -> map("anyOf", List.of(any(depth - 1), any(depth - 1), map("type", "null")));
            case 13 -> random.nextBoolean() ? discriminated(depth - 1) : map("allOf", List.of(object(0), map("type", "object")));
            default -> {
                definitions++;
                yield map("$ref", "#/$defs/tree");
            }
        };
    }

    private Map<String, Object> string() {
        Map<String, Object> schema = map("type", "string");
        int min = random.nextInt(4);
        if (random.nextBoolean()) {
            schema.put("minLength", min);
        }
        if (random.nextBoolean()) {
            schema.put("maxLength", min + random.nextInt(12));
        }
        return schema;
    }

    private Map<String, Object> formatted() {
        List<String> formats = new ArrayList<>(new TreeSet<>(Formats.PATTERNS.keySet()));
        // The validator only takes addresses of domains that exist.
        formats.remove("email");
        return map("type", "string", "format", pick(formats));
    }

    private Map<String, Object> patterned() {
        Map<String, Object> schema = map("type", "string", "pattern", pick(PATTERNS));
        if (random.nextInt(3) == 0) {
            schema.put("maxLength", 9 + random.nextInt(9));
        }
        return schema;
    }

    private Map<String, Object> integer() {
        Map<String, Object> schema = map("type", "integer");
        long low = random.nextInt(2_000) - 1_000;
        if (random.nextBoolean()) {
            schema.put(random.nextBoolean() ? "minimum" : "exclusiveMinimum", low);
        }
        if (random.nextBoolean()) {
            schema.put(random.nextBoolean() ? "maximum" : "exclusiveMaximum", low + 2 + random.nextInt(3_000));
        }
        return schema;
    }

    private Map<String, Object> number() {
        Map<String, Object> schema = map("type", "number");
        BigDecimal low = BigDecimal.valueOf(random.nextInt(20_000) - 10_000, random.nextInt(4));
        if (random.nextBoolean()) {
            schema.put(random.nextBoolean() ? "minimum" : "exclusiveMinimum", low);
        }
        if (random.nextBoolean()) {
            schema.put(random.nextBoolean() ? "maximum" : "exclusiveMaximum",
                    low.add(BigDecimal.valueOf(1 + random.nextInt(900), random.nextInt(3))));
        }
        if (random.nextInt(4) == 0) {
            schema.put("multipleOf", new BigDecimal("0.001"));
        }
        return schema;
    }

    private Map<String, Object> array(int depth) {
        Map<String, Object> schema = map("type", "array", "items", any(depth));
        int min = random.nextInt(3);
        if (random.nextBoolean()) {
            schema.put("minItems", min);
        }
        if (random.nextBoolean()) {
            schema.put("maxItems", min + random.nextInt(4));
        }
        if (random.nextInt(4) == 0) {
            schema.put("prefixItems", List.of(any(depth), any(depth)));
        }
        return schema;
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        int count = random.nextInt(5);
        for (int i = 0; i < count; i++) {
            String name = pick(NAMES);
            properties.put(name, any(depth));
            if (random.nextBoolean() && !required.contains(name)) {
                required.add(name);
            }
        }
        Map<String, Object> schema = map("type", "object", "properties", properties);
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        switch (random.nextInt(4)) {
            case 0 -> schema.put("additionalProperties", false);
            case 1 -> schema.put("additionalProperties", true);
            case 2 -> schema.put("additionalProperties", map("type", "integer"));
            default -> {
            }
        }
        return schema;
    }

    private Map<String, Object> discriminated(int depth) {
        List<Object> branches = new ArrayList<>();
        for (String kind : List.of("circle", "square")) {
            Map<String, Object> branch = object(depth);
            Map<String, Object> properties = new LinkedHashMap<>();
            properties.put("kind", map("const", kind));
            properties.putAll(asMap(branch.get("properties")));
            branch.put("properties", properties);
            branch.put("required", List.of("kind"));
            branches.add(branch);
        }
        return map("oneOf", branches);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> asMap(Object value) {
        return (Map<String, Object>) value;
    }

    private <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    static Map<String, Object> map(Object... pairs) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put((String) pairs[i], pairs[i + 1]);
        }
        return map;
    }
}

package dev.ringside.sampling.grammar;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One schema object with its keywords checked for kind, for use in messages and by those who read it. */
record Schema(Map<String, @Nullable Object> keywords, String path) {

    boolean has(String keyword) {
        return keywords.containsKey(keyword);
    }

    @Nullable
    Object get(String keyword) {
        return keywords.get(keyword);
    }

    UnsupportedSchemaException error(String keyword, String message) {
        return new UnsupportedSchemaException(path, keyword, message);
    }

    /** A count, clamped to a limit above which it is refused; {@code absent} when the keyword is. */
    int count(String keyword, int absent, int limit) {
        if (!has(keyword)) {
            return absent;
        }
        BigDecimal value = number(keyword);
        if (value == null || value.signum() < 0 || value.scale() > 0 && value.stripTrailingZeros().scale() > 0) {
            throw error(keyword, "expected a whole number that is not negative, found " + get(keyword));
        }
        if (value.compareTo(BigDecimal.valueOf(limit)) > 0) {
            throw error(keyword, "at most " + limit + " is supported, found " + value);
        }
        return value.intValue();
    }

    @Nullable
    BigDecimal number(String keyword) {
        if (!has(keyword)) {
            return null;
        }
        if (get(keyword) instanceof Number number) {
            return JsonConstants.decimal(number, path);
        }
        throw error(keyword, "expected a number, found " + get(keyword));
    }

    @Nullable
    String text(String keyword) {
        if (!has(keyword)) {
            return null;
        }
        if (get(keyword) instanceof String text) {
            return text;
        }
        throw error(keyword, "expected a string, found " + get(keyword));
    }

    /** Whether a keyword that is a flag is set. */
    boolean flag(String keyword) {
        Object value = get(keyword);
        if (has(keyword) && !(value instanceof Boolean)) {
            throw error(keyword, "expected true or false, found " + value);
        }
        return Boolean.TRUE.equals(value);
    }

    /** Schemas of a list, which must not be empty where it is there. */
    List<Object> schemas(String keyword) {
        if (!has(keyword)) {
            return List.of();
        }
        if (!(get(keyword) instanceof List<?> list) || list.isEmpty()) {
            throw error(keyword, "expected a list of at least one schema");
        }
        List<Object> schemas = new ArrayList<>();
        for (Object each : list) {
            schemas.add(schema(keyword, each));
        }
        return schemas;
    }

    /** A value that must be a schema. */
    Object schema(String keyword, @Nullable Object value) {
        if (value instanceof Map || value instanceof Boolean) {
            return value;
        }
        throw error(keyword, "expected a schema, found " + value);
    }

    /** Schemas by name. */
    Map<String, Object> named(String keyword) {
        if (!has(keyword)) {
            return Map.of();
        }
        if (!(get(keyword) instanceof Map<?, ?> map)) {
            throw error(keyword, "expected an object of schemas, found " + get(keyword));
        }
        Map<String, Object> named = new LinkedHashMap<>();
        map.forEach((name, value) -> named.put(String.valueOf(name), schema(keyword, value)));
        return named;
    }

    List<String> names(String keyword) {
        if (!has(keyword)) {
            return List.of();
        }
        if (!(get(keyword) instanceof List<?> list)) {
            throw error(keyword, "expected a list of names, found " + get(keyword));
        }
        List<String> names = new ArrayList<>();
        for (Object each : list) {
            if (!(each instanceof String name)) {
                throw error(keyword, "expected a list of names, found " + each + " in it");
            }
            names.add(name);
        }
        return names;
    }

    /** Types named by {@code type} and {@code nullable}, or {@code null} when there is no {@code type}. */
    @Nullable
    List<String> types() {
        if (!has("type")) {
            return null;
        }
        List<String> types = new ArrayList<>(get("type") instanceof String one ? List.of(one) : names("type"));
        for (String type : types) {
            if (!SchemaKeywords.TYPES.contains(type)) {
                throw error("type", "expected one of " + SchemaKeywords.TYPES + ", found " + type);
            }
        }
        if (types.isEmpty()) {
            throw error("type", "expected at least one type");
        }
        if (flag("nullable") && !types.contains("null")) {
            types.add("null");
        }
        return types;
    }
}

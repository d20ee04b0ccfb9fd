package dev.ringside.api;

import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Typed access to the fields of one JSON object: what is missing or of the wrong kind is refused with the field's path as {@code param}. */
final class JsonFields {

    // Integers up to here survive a double, which is what JavaScript clients send.
    private static final double EXACT = 1L << 53;

    private final JsonNode object;
    private final String path;

    private JsonFields(JsonNode object, String path) {
        this.object = object;
        this.path = path;
    }

    static JsonFields root(JsonNode body) {
        if (!body.isObject()) {
            throw ApiError.badRequest(null, "invalid_type", "The request body must be a JSON object, got " + kind(body)).toException();
        }
        return new JsonFields(body, "");
    }

    static JsonFields of(JsonNode node, String path) {
        if (!node.isObject()) {
            throw ApiException.wrongType(path, "an object", kind(node));
        }
        return new JsonFields(node, path);
    }

    /** The path of a field, for messages. */
    String path(String field) {
        return path.isEmpty() ? field : path + "." + field;
    }

    Set<java.util.Map.Entry<String, JsonNode>> entries() {
        return object.properties();
    }

    /** The value, or null when the field is absent or JSON's null, which the API treats alike. */
    @Nullable
    JsonNode find(String field) {
        JsonNode value = object.get(field);
        return value == null || value.isNull() ? null : value;
    }

    JsonNode require(String field) {
        JsonNode value = find(field);
        if (value == null) {
            throw ApiException.missing(path(field));
        }
        return value;
    }

    @Nullable
    String string(String field) {
        JsonNode value = find(field);
        return value == null ? null : string(value, path(field));
    }

    boolean bool(String field, boolean fallback) {
        JsonNode value = find(field);
        if (value == null) {
            return fallback;
        }
        if (!value.isBoolean()) {
            throw ApiException.wrongType(path(field), "true or false", kind(value));
        }
        return value.booleanValue();
    }

    OptionalDouble number(String field) {
        JsonNode value = find(field);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(number(value, path(field)));
    }

    OptionalLong integer(String field) {
        JsonNode value = find(field);
        return value == null ? OptionalLong.empty() : OptionalLong.of(integer(value, path(field)));
    }

    @Nullable
    JsonFields object(String field) {
        JsonNode value = find(field);
        return value == null ? null : of(value, path(field));
    }

    static String string(JsonNode value, String path) {
        if (!value.isString()) {
            throw ApiException.wrongType(path, "a string", kind(value));
        }
        return value.stringValue();
    }

    static double number(JsonNode value, String path) {
        if (!value.isNumber()) {
            throw ApiException.wrongType(path, "a number", kind(value));
        }
        double number = value.doubleValue();
        if (!Double.isFinite(number)) {
            throw ApiException.invalidValue(path, path + " is too large for a number");
        }
        return number;
    }

    static long integer(JsonNode value, String path) {
        if (value.isNumber()) {
            if (value.isIntegralNumber()) {
                if (value.canConvertToLong()) {
                    return value.longValue();
                }
                throw ApiException.invalidValue(path, path + " does not fit a 64-bit integer");
            }
            double number = value.doubleValue();
            if (number == Math.rint(number) && Math.abs(number) <= EXACT) {
                return (long) number;
            }
            throw ApiException.wrongType(path, "an integer", "a number with a fraction");
        }
        throw ApiException.wrongType(path, "an integer", kind(value));
    }

    /** A JSON kind with its article, for messages. */
    static String kind(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT, POJO -> "an object";
            case ARRAY -> "an array";
            case STRING, BINARY -> "a string";
            case NUMBER -> "a number";
            case BOOLEAN -> "a boolean";
            case NULL -> "null";
            case MISSING -> "nothing";
        };
    }
}

package dev.ringside.api;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** JSON as plain Java values, which is what templates take. */
final class JsonValues {

    private JsonValues() {}

    static @Nullable Object of(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> map(node);
            case ARRAY -> list(node);
            case STRING -> node.stringValue();
            case BOOLEAN -> node.booleanValue();
            case NUMBER -> number(node);
            default -> null;
        };
    }

    static Map<String, @Nullable Object> map(JsonNode object) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            map.put(field.getKey(), of(field.getValue()));
        }
        return map;
    }

    private static List<@Nullable Object> list(JsonNode array) {
        List<@Nullable Object> list = new ArrayList<>(array.size());
        for (JsonNode element : array) {
            list.add(of(element));
        }
        return list;
    }

    private static Object number(JsonNode number) {
        return number.isIntegralNumber() && number.canConvertToLong() ? number.longValue() : (Object) number.doubleValue();
    }
}

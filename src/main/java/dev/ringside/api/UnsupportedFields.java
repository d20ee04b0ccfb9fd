package dev.ringside.api;

import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * Refuses the fields that this server knows and can't honour, by name and unless their value asks for nothing: an answer that ignored them
 * would be wrong without a sign.
 */
final class UnsupportedFields {

    private UnsupportedFields() {}

    static void refuse(JsonFields body, List<RequestField> fields) {
        for (RequestField field : fields) {
            if (field.support() == RequestField.Support.REFUSED) {
                JsonNode value = body.find(field.name());
                if (value != null && !asksForNothing(field.name(), value)) {
                    throw ApiException.unsupported(body.path(field.name()),
                            body.path(field.name()) + " is not supported by this server: " + field.note());
                }
            }
        }
    }

    private static boolean asksForNothing(String name, JsonNode value) {
        if (value.isString()) {
            String word = value.stringValue();
            return word.isEmpty() || name.equals("verbosity") && word.equals("medium")
                    || name.equals("function_call") && word.equals("none");
        }
        if (name.equals("modalities") && value.isArray() && value.size() == 1) {
            return value.get(0).isString() && value.get(0).stringValue().equals("text");
        }
        if (name.equals("response_format") && value.isObject()) {
            return value.path("type").isString() && value.path("type").stringValue().equals("text");
        }
        if (value.isBoolean()) {
            return !value.booleanValue();
        }
        if (value.isNumber()) {
            return value.doubleValue() == 0;
        }
        return value.isArray() && value.isEmpty();
    }
}

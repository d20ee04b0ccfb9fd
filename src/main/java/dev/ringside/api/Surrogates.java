package dev.ringside.api;

import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Half a surrogate pair is no character: it has no UTF-8 form, so neither a tokenizer nor an answer can carry it. */
final class Surrogates {

    private Surrogates() {}

    /** Refuses a JSON value that holds one anywhere; its depth is bounded by the parser. */
    static void refuse(JsonNode node, String path) {
        if (node.isString()) {
            refuse(node.stringValue(), path);
        } else if (node.isObject()) {
            for (Map.Entry<String, JsonNode> field : node.properties()) {
                refuse(field.getKey(), path.isEmpty() ? "a field name" : path);
                refuse(field.getValue(), path.isEmpty() ? field.getKey() : path + "." + field.getKey());
            }
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                // Numbers are the bulk of a long array (token ids) and need no path.
                if (!node.get(i).isNumber()) {
                    refuse(node.get(i), path + "[" + i + "]");
                }
            }
        }
    }

    private static void refuse(String text, String path) {
        int at = indexOfLone(text);
        if (at >= 0) {
            throw ApiException.invalidValue(path, path + " holds half of a surrogate pair (\\u"
                    + Integer.toHexString(text.charAt(at)) + " at index " + at + "), which is no character");
        }
    }

    private static int indexOfLone(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                    i++;
                } else {
                    return i;
                }
            }
        }
        return -1;
    }

    /** The text with U+FFFD for every half pair: for messages that quote input. */
    static String replace(String text) {
        if (indexOfLone(text) < 0) {
            return text;
        }
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().forEach(c -> clean.appendCodePoint(c <= 0xFFFF && Character.isSurrogate((char) c) ? '\uFFFD' : c));
        return clean.toString();
    }
}

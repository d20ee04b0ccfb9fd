package dev.ringside.chat;

import dev.ringside.chat.ToolCatalog.ValueKind;

/**
 * Writes the arguments of a call as a JSON object where the model gives each value as plain text. Values whose schema says text are passed
 * on as they come; others are judged when they are complete, since {@code 12} and {@code 12 o'clock} begin alike.
 */
final class ArgumentsWriter {

    private final StringBuilder json = new StringBuilder();
    private final StringBuilder value = new StringBuilder();
    private ValueKind kind = ValueKind.TEXT;
    private boolean any;

    void begin(String key, ValueKind kind) {
        json.append(any ? ", " : "{").append(JsonStringReader.quote(key)).append(": ");
        any = true;
        this.kind = kind;
        if (kind == ValueKind.TEXT) {
            json.append('"');
        }
    }

    void value(CharSequence text) {
        if (kind != ValueKind.TEXT) {
            value.append(text);
            return;
        }
        for (int i = 0; i < text.length(); i++) {
            JsonStringReader.appendEscaped(json, text.charAt(i));
        }
    }

    void end() {
        if (kind == ValueKind.TEXT) {
            json.append('"');
        } else {
            json.append(judged());
        }
        value.setLength(0);
    }

    /** The value is cut off. */
    void cut() {
        if (kind != ValueKind.TEXT) {
            json.append(value);
            value.setLength(0);
        }
    }

    void close() {
        json.append(any ? "}" : "{}");
    }

    void flush(CallOutput out) {
        out.arguments(json);
        json.setLength(0);
    }

    private CharSequence judged() {
        if (JsonScanner.isValue(value) && kind.admits(value.toString().strip())) {
            return value;
        }
        String word = value.toString().strip();
        // As Python spells them, which models fall into.
        return switch (word) {
            case "True" -> kind.admits("true") ? "true" : JsonStringReader.quote(value);
            case "False" -> kind.admits("false") ? "false" : JsonStringReader.quote(value);
            case "None" -> kind.admits("null") ? "null" : JsonStringReader.quote(value);
            default -> JsonStringReader.quote(value);
        };
    }
}

package dev.ringside.chat.jinja;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON as Python's {@code json.dumps} writes it: {@code ", "} and {@code ": "} between things unless told otherwise, real numbers as Python
 * prints them. Quotes and brackets count as the template's, strings keep their origin.
 */
final class JsonWriter {

    private final Budget budget;
    private final boolean asciiOnly;
    private final boolean sortKeys;
    private final int indent;
    private final String itemSeparator;
    private final String keySeparator;
    private final TextBuilder output = new TextBuilder();

    /**
     * @param indent spaces per level, negative for everything on one line
     * @param separators item and key separator, or null for the usual ones
     */
    JsonWriter(Budget budget, boolean asciiOnly, boolean sortKeys, int indent, @Nullable List<String> separators) {
        this.budget = budget;
        this.asciiOnly = asciiOnly;
        this.sortKeys = sortKeys;
        this.indent = indent;
        this.itemSeparator = separators != null ? separators.getFirst() : indent >= 0 ? "," : ", ";
        this.keySeparator = separators != null ? separators.getLast() : ": ";
    }

    Text write(Value value) {
        write(value, 0);
        return output.build();
    }

    private void write(Value value, int level) {
        budget.enter();
        switch (value) {
            case Text text -> string(text);
            case Value.None ignored -> output.appendTemplate("null");
            case Value.Bool bool -> output.appendTemplate(bool.value() ? "true" : "false");
            case Value.Int integer -> output.appendTemplate(Long.toString(integer.value()));
            case Value.Real real -> output.appendTemplate(real(real.value()));
            case Value.Sequence sequence -> sequence(sequence, level);
            case Value.Dict dict -> dict(dict, level);
            default -> throw new JinjaException(Values.typeName(value) + " cannot be written as JSON");
        }
        budget.leave();
    }

    private static String real(double value) {
        return Double.isNaN(value) ? "NaN" : Double.isInfinite(value) ? value > 0 ? "Infinity" : "-Infinity" : Printer.real(value);
    }

    private void sequence(Value.Sequence sequence, int level) {
        if (sequence.items().isEmpty()) {
            output.appendTemplate("[]");
            return;
        }
        output.appendTemplate("[");
        boolean first = true;
        for (Value item : sequence.items()) {
            separate(first, level + 1);
            write(item, level + 1);
            first = false;
        }
        newLine(level);
        output.appendTemplate("]");
    }

    private void dict(Value.Dict dict, int level) {
        if (dict.entries().isEmpty()) {
            output.appendTemplate("{}");
            return;
        }
        List<Map.Entry<Value, Value>> entries = new ArrayList<>(dict.entries().entrySet());
        if (sortKeys) {
            entries.sort(Comparator.comparing(Map.Entry::getKey, (left, right) -> Values.compare(left, right, budget)));
        }
        output.appendTemplate("{");
        boolean first = true;
        for (Map.Entry<Value, Value> entry : entries) {
            separate(first, level + 1);
            key(entry.getKey(), level);
            output.appendTemplate(keySeparator);
            write(entry.getValue(), level + 1);
            first = false;
        }
        newLine(level);
        output.appendTemplate("}");
    }

    private void key(Value key, int level) {
        if (key instanceof Text text) {
            string(text);
        } else {
            output.appendTemplate("\"");
            write(key, level);
            output.appendTemplate("\"");
        }
    }

    private void separate(boolean first, int level) {
        if (!first) {
            output.appendTemplate(itemSeparator);
        }
        newLine(level);
    }

    private void newLine(int level) {
        if (indent >= 0) {
            budget.grow(output.length(), (long) indent * level);
            output.appendTemplate("\n" + " ".repeat(indent * level));
        }
    }

    private void string(Text text) {
        budget.grow(output.length(), text.length());
        output.appendTemplate("\"");
        StringBuilder escaped = new StringBuilder(text.length());
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.value().charAt(i);
            if (c >= 0x20 && c != '"' && c != '\\' && (c < 0x7F || !asciiOnly)) {
                continue;
            }
            output.append(text, start, i);
            escaped.setLength(0);
            escape(c, escaped);
            output.append(text.slice(i, i + 1).derive(escaped.toString()));
            start = i + 1;
        }
        output.append(text, start, text.length());
        output.appendTemplate("\"");
    }

    private static void escape(char c, StringBuilder escaped) {
        switch (c) {
            case '"' -> escaped.append("\\\"");
            case '\\' -> escaped.append("\\\\");
            case '\n' -> escaped.append("\\n");
            case '\r' -> escaped.append("\\r");
            case '\t' -> escaped.append("\\t");
            case '\b' -> escaped.append("\\b");
            case '\f' -> escaped.append("\\f");
            default -> escaped.append("\\u").append(String.format(Locale.ROOT, "%04x", (int) c));
        }
    }
}

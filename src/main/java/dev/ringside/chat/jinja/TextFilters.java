package dev.ringside.chat.jinja;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Filters that make texts. */
final class TextFilters {

    static final Map<String, Filter> ALL = Map.ofEntries(
            Map.entry("trim", (value, arguments, context) -> Strings.strip(text(value, context), arguments.get(0, "chars"), true, true)),
            Map.entry("upper", (value, arguments, context) -> upper(text(value, context))),
            Map.entry("lower", (value, arguments, context) -> lower(text(value, context))),
            Map.entry("capitalize", (value, arguments, context) -> Strings.capitalize(text(value, context))),
            Map.entry("title", (value, arguments, context) -> title(text(value, context))),
            Map.entry("string", (value, arguments, context) -> text(value, context)),
            Map.entry("safe", (value, arguments, context) -> value),
            Map.entry("replace", TextFilters::replace),
            Map.entry("indent", TextFilters::indent),
            Map.entry("center",
                    (value, arguments, context) -> Strings.pad(text(value, context), arguments.integer(0, "width", 80), 1,
                            Text.template(" "), context.budget())),
            Map.entry("format",
                    (value, arguments, context) -> Formatting.percent(text(value, context), arguments.positional(), context.budget())),
            Map.entry("truncate", TextFilters::truncate),
            Map.entry("wordcount",
                    (value, arguments, context) -> Values
                            .integer(Strings.split(text(value, context), null, -1, context.budget()).items().size())),
            Map.entry("e", (value, arguments, context) -> escape(text(value, context), context.budget())),
            Map.entry("escape", (value, arguments, context) -> escape(text(value, context), context.budget())),
            Map.entry("forceescape", (value, arguments, context) -> escape(text(value, context), context.budget())),
            Map.entry("tojson", TextFilters::json));

    private TextFilters() {}

    private static Text text(Value value, RenderContext context) {
        Text text = Printer.text(value, context.budget());
        context.budget().copy(text.length());
        return text;
    }

    private static Text upper(Text text) {
        return text.derive(text.value().toUpperCase(Locale.ROOT));
    }

    private static Text lower(Text text) {
        return text.derive(text.value().toLowerCase(Locale.ROOT));
    }

    /** Jinja's: the first character of every word, words standing between white space, hyphens and opening brackets. */
    private static Text title(Text text) {
        StringBuilder titled = new StringBuilder(text.length());
        boolean begins = true;
        for (int codePoint : text.value().codePoints().toArray()) {
            titled.appendCodePoint(begins ? Character.toUpperCase(codePoint) : Character.toLowerCase(codePoint));
            begins = Strings.isSpace(codePoint) || "-({[<".indexOf(codePoint) >= 0;
        }
        return text.derive(titled.toString());
    }

    private static Value replace(Value value, CallArguments arguments, RenderContext context) {
        Text old = text(arguments.require(0, "old"), context);
        Text replacement = text(arguments.require(1, "new"), context);
        return Strings.replace(text(value, context), old, replacement, arguments.integer(2, "count", -1), context.budget());
    }

    private static Value indent(Value value, CallArguments arguments, RenderContext context) {
        Budget budget = context.budget();
        Value width = arguments.get(0, "width", Values.integer(4));
        Text margin = width instanceof Text text
                ? text
                : Strings.pad(Text.EMPTY, Values.requireInt(width, "width"), 0, Text.template(" "), budget);
        boolean first = arguments.flag(1, "first", false);
        boolean blank = arguments.flag(2, "blank", false);
        Text text = text(value, context);
        List<Value> lines = new ArrayList<>(Strings.lines(text, false, budget).items());
        if (text.isEmpty() || text.value().endsWith("\n")) {
            lines.add(Text.EMPTY);
        }
        TextBuilder builder = new TextBuilder();
        for (int i = 0; i < lines.size(); i++) {
            Text line = (Text) lines.get(i);
            budget.grow(builder.length(), line.length() + 1L + margin.length());
            if (i > 0) {
                builder.appendTemplate("\n");
            }
            if (i == 0 ? first : blank || !line.isEmpty()) {
                builder.append(margin);
            }
            builder.append(line);
        }
        return builder.build();
    }

    private static Value truncate(Value value, CallArguments arguments, RenderContext context) {
        Text text = text(value, context);
        int length = Math.max(0, arguments.integer(0, "length", 255));
        boolean killWords = arguments.flag(1, "killwords", false);
        Text end = arguments.text(2, "end", "...");
        int leeway = arguments.integer(3, "leeway", 5);
        if (CodePointText.length(text) <= (long) length + leeway) {
            return text;
        }
        Text kept = CodePointText.slice(text, 0, Math.max(0, length - CodePointText.length(end)));
        int space = kept.value().lastIndexOf(' ');
        if (!killWords && space >= 0) {
            kept = kept.slice(0, space);
        }
        return new TextBuilder().append(kept).append(end).build();
    }

    private static Text escape(Text text, Budget budget) {
        TextBuilder builder = new TextBuilder();
        for (int i = 0; i < text.length(); i++) {
            @Nullable String entity = switch (text.value().charAt(i)) {
                case '&' -> "&amp;";
                case '<' -> "&lt;";
                case '>' -> "&gt;";
                case '"' -> "&#34;";
                case '\'' -> "&#39;";
                default -> null;
            };
            if (entity == null) {
                builder.append(text, i, i + 1);
            } else {
                builder.append(text.slice(i, i + 1).derive(entity));
            }
        }
        budget.text(builder.length());
        return builder.build();
    }

    private static Value json(Value value, CallArguments arguments, RenderContext context) {
        boolean asciiOnly = arguments.flag(0, "ensure_ascii", false);
        Value indent = arguments.get(1, "indent", Value.None.NONE);
        Value separators = arguments.get(2, "separators", Value.None.NONE);
        boolean sortKeys = arguments.flag(3, "sort_keys", false);
        int spaces = indent == Value.None.NONE ? -1 : Math.clamp(Values.requireInt(indent, "indent"), 0, 100);
        List<String> between = separators instanceof Value.Sequence pair && pair.items().size() == 2
                ? pair.items().stream().map(item -> Values.requireText(item, "separators").value()).toList()
                : null;
        return new JsonWriter(context.budget(), asciiOnly, sortKeys, spaces, between).write(value);
    }
}

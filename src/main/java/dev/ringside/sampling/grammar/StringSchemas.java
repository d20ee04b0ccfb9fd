package dev.ringside.sampling.grammar;

import java.math.BigDecimal;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Strings of a schema. */
final class StringSchemas {

    /** No context is that long: a greater maximum is none. */
    static final int MAX_LENGTH = 20_000_000;

    private StringSchemas() {}

    static Expr expr(Schema schema) {
        int min = schema.count("minLength", 0, MAX_LENGTH);
        int max = maximum(schema, "maxLength", MAX_LENGTH);
        if (min > max) {
            return Expr.NEVER;
        }
        String keyword = schema.has("pattern") ? "pattern" : "format";
        String pattern = pattern(schema);
        if (pattern == null) {
            return JsonSyntax.string(min, max);
        }
        RegexParser.Part part;
        try {
            part = RegexParser.inString(pattern);
        } catch (GrammarException e) {
            throw schema.error(keyword, String.valueOf(e.getMessage()));
        }
        Expr body = part.min() >= min && part.max() <= max ? part.expr() : new Expr.Counted(part.expr(), min, max);
        return Expr.sequence(Expr.literal("\""), body, Expr.literal("\""));
    }

    private static @Nullable String pattern(Schema schema) {
        String pattern = schema.text("pattern");
        String format = schema.text("format");
        if (format == null) {
            return pattern;
        }
        if (pattern != null) {
            throw schema.error("format", "it can't be combined with pattern");
        }
        String known = Formats.PATTERNS.get(format);
        if (known == null) {
            throw schema.error("format",
                    "the format " + format + " is not supported; supported are " + new TreeSet<>(Formats.PATTERNS.keySet()));
        }
        return known;
    }

    /** A maximum, unbounded when it is absent or above {@code relevant}. */
    static int maximum(Schema schema, String keyword, int relevant) {
        BigDecimal value = schema.number(keyword);
        return value == null || value.compareTo(BigDecimal.valueOf(relevant)) > 0 ? Expr.UNBOUNDED : schema.count(keyword, 0, relevant);
    }
}

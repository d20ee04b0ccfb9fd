package dev.ringside.sampling.grammar;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What a text may look like, put together from parts. Immutable; compiled by {@link Constraints}. */
public final class Grammar {

    /** For {@link #repeat}: no limit. */
    public static final int UNBOUNDED = Expr.UNBOUNDED;

    static final int MAX_REPEAT = 20_000;

    private final Expr expr;

    Grammar(Expr expr) {
        this.expr = expr;
    }

    Expr expr() {
        return expr;
    }

    /** Exactly this text. Control tokens never spell it. */
    public static Grammar literal(String text) {
        return new Grammar(Expr.literal(text));
    }

    /** The control token with this text, such as {@code <|tool_call|>}; where the vocabulary has none, the text itself. */
    public static Grammar marker(String text) {
        return new Grammar(new Expr.Marker(notEmpty(text)));
    }

    public static Grammar sequence(Grammar... parts) {
        return new Grammar(new Expr.Sequence(Arrays.stream(parts).map(Grammar::expr).toList()));
    }

    /** Any one of the parts. Parts may begin alike; they stay open until the text decides. */
    public static Grammar alternatives(List<Grammar> parts) {
        if (parts.isEmpty()) {
            throw new GrammarException("alternatives need at least one part");
        }
        return new Grammar(new Expr.Choice(parts.stream().map(Grammar::expr).toList()));
    }

    public static Grammar alternatives(Grammar... parts) {
        return alternatives(List.of(parts));
    }

    public static Grammar optional(Grammar part) {
        return repeat(part, 0, 1);
    }

    /** @param max {@link #UNBOUNDED} or a number up to 20,000 */
    public static Grammar repeat(Grammar part, int min, int max) {
        if (min < 0 || max < min || min > MAX_REPEAT || max != UNBOUNDED && max > MAX_REPEAT) {
            throw new GrammarException("repetition of " + min + " to " + max + ": expected 0 <= min <= max <= " + MAX_REPEAT);
        }
        return new Grammar(new Expr.Repeat(part.expr, min, max));
    }

    /** At most one space, or one or two line ends and spaces or tabs behind them. */
    public static Grammar whitespace() {
        return new Grammar(JsonSyntax.leadingSpace());
    }

    /** A JSON value that fits a schema: {@link JsonSchemas#compile}. */
    public static Grammar json(Map<String, ?> schema) {
        return JsonSchemas.compile(schema);
    }

    /** Any text up to and with the first marker, such as a reasoning block up to {@code </think>}. The generation can't end in it. */
    public static Grammar textUntil(String marker) {
        return new Grammar(new Expr.Until(notEmpty(marker)));
    }

    /** Any text, in which the marker doesn't occur. */
    public static Grammar textWithout(String marker) {
        return new Grammar(new Expr.Without(notEmpty(marker)));
    }

    /**
     * Free text in which what follows the trigger fits a grammar, then free text again. The generation may end in free text.
     *
     * @param trigger text that begins a constrained part; a control token where the vocabulary has one with this text
     * @param grammar what follows the trigger, with the marker that ends it
     * @param max how often the trigger may occur at most, or {@link #UNBOUNDED}
     */
    public static Grammar triggered(String trigger, Grammar grammar, int max) {
        return sequence(repeat(sequence(textUntil(trigger), grammar), 0, max), textWithout(trigger));
    }

    /** A text that fits a regular expression as a whole. The syntax is that of the schema keyword {@code pattern}. */
    public static Grammar pattern(String pattern) {
        return new Grammar(RegexParser.wholeText(pattern));
    }

    private static String notEmpty(String text) {
        if (text.isEmpty()) {
            throw new GrammarException("a marker needs at least one character");
        }
        return text;
    }
}

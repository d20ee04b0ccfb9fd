package dev.ringside.sampling.grammar;

/** JSON's own syntax (RFC 8259) with bounded whitespace and bounded numbers, so that a model can't go on with either for ever. */
final class JsonSyntax {

    /** Digits of a number without bounds, before the point and behind it. */
    static final int MAX_DIGITS = 20;

    static final Expr DIGIT = new Expr.ByteRange('0', '9');
    static final Expr NON_ZERO = new Expr.ByteRange('1', '9');
    static final Expr ANY_STRING = string(0, Expr.UNBOUNDED);
    static final Expr INTEGER = Expr.choice(Expr.literal("0"),
            Expr.sequence(Expr.optional(Expr.literal("-")), NON_ZERO, digits(0, MAX_DIGITS - 1)));
    static final Expr NUMBER = Expr.sequence(Expr.optional(Expr.literal("-")),
            Expr.choice(Expr.literal("0"), Expr.sequence(NON_ZERO, digits(0, MAX_DIGITS - 1))),
            Expr.optional(Expr.sequence(Expr.literal("."), digits(1, MAX_DIGITS))),
            Expr.optional(Expr.sequence(new Expr.Chars(CodePoints.of('e', 'E'), false),
                    Expr.optional(new Expr.Chars(CodePoints.of('+', '-'), false)), digits(1, 2))));
    static final Expr BOOLEAN = Expr.choice(Expr.literal("true"), Expr.literal("false"));
    static final Expr NULL = Expr.literal("null");

    private static final Expr INDENT = Expr.choice(new Expr.Repeat(new Expr.ByteRange(' ', ' '), 0, 40),
            new Expr.Repeat(new Expr.ByteRange('\t', '\t'), 1, 20));

    private JsonSyntax() {}

    static Expr digits(int min, int max) {
        return new Expr.Repeat(DIGIT, min, max);
    }

    static Expr string(int min, int max) {
        return Expr.sequence(Expr.literal("\""), new Expr.StringBody(min, max));
    }

    /** Whitespace in front of a document. */
    static Expr leadingSpace() {
        return Expr.optional(Expr.choice(Expr.literal(" "),
                Expr.sequence(new Expr.Repeat(Expr.sequence(Expr.optional(Expr.literal("\r")), Expr.literal("\n")), 1, 2), INDENT)));
    }

    /** Nothing, one space, or one line end with an indentation. One rule for each grammar, since it occurs everywhere. */
    static Expr.Rule space() {
        return new Expr.Rule("whitespace",
                Expr.optional(
                        Expr.choice(Expr.literal(" "), Expr.sequence(Expr.optional(Expr.literal("\r")), Expr.literal("\n"), INDENT))));
    }

    /** Nothing or one space. */
    static Expr blank() {
        return Expr.optional(Expr.literal(" "));
    }
}

package dev.ringside.chat.jinja;

/** Numbers and the names of constants. */
final class Literals {

    private Literals() {}

    static Value integer(Token token) {
        try {
            return new Value.Int(Long.parseLong(token.text()));
        } catch (NumberFormatException e) {
            throw new JinjaException("integer " + token.text() + " does not fit 64 bits").atLine(token.line());
        }
    }

    /** A constant if the name is one, else a variable. */
    static Expression name(Token token) {
        return switch (token.text()) {
            case "true", "True" -> new Expression.Literal(Value.Bool.TRUE);
            case "false", "False" -> new Expression.Literal(Value.Bool.FALSE);
            case "none", "None" -> new Expression.Literal(Value.None.NONE);
            default -> new Expression.Name(token.text());
        };
    }
}

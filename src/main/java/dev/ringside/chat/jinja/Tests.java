package dev.ringside.chat.jinja;

/** The tests of {@code value is test(arguments)}. */
final class Tests {

    private Tests() {}

    static boolean test(String name, Value value, CallArguments arguments, RenderContext context) {
        return switch (name) {
            case "defined" -> !(value instanceof Value.Undefined);
            case "undefined" -> value instanceof Value.Undefined;
            case "none" -> value == Value.None.NONE;
            case "boolean" -> value instanceof Value.Bool;
            case "true" -> value instanceof Value.Bool bool && bool.value();
            case "false" -> value instanceof Value.Bool bool && !bool.value();
            case "integer" -> value instanceof Value.Int;
            case "float" -> value instanceof Value.Real;
            case "number" -> Values.isNumber(value);
            case "string" -> value instanceof Text;
            case "mapping" -> value instanceof Value.Dict;
            case "sequence" ->
                value instanceof Value.Sequence || value instanceof Value.Dict || value instanceof Text || value instanceof Value.Undefined;
            case "iterable" ->
                value instanceof Value.Sequence || value instanceof Value.Dict || value instanceof Text || value instanceof Value.Undefined;
            case "callable" -> value instanceof Value.Function;
            case "escaped" -> false;
            case "odd" -> Math.floorMod(Values.asLong(value), 2L) == 1;
            case "even" -> Math.floorMod(Values.asLong(value), 2L) == 0;
            case "divisibleby" -> divisible(Values.asLong(value), Values.asLong(arguments.require(0, "num")));
            case "lower" -> value instanceof Text text && Strings.isCased(text, false);
            case "upper" -> value instanceof Text text && Strings.isCased(text, true);
            case "sameas" -> value.getClass() == arguments.require(0, "other").getClass()
                    && Values.equal(value, arguments.require(0, "other"), context.budget());
            case "in" -> Operators.contains(arguments.require(0, "seq"), value, context.budget());
            default -> Operators.compare(comparison(name), value, arguments.require(0, "other"), context.budget());
        };
    }

    private static boolean divisible(long value, long divisor) {
        if (divisor == 0) {
            throw new JinjaException("divisibleby zero");
        }
        return value % divisor == 0;
    }

    private static String comparison(String name) {
        return switch (name) {
            case "eq", "equalto", "==" -> "==";
            case "ne", "!=" -> "!=";
            case "lt", "lessthan", "<" -> "<";
            case "le", "<=" -> "<=";
            case "gt", "greaterthan", ">" -> ">";
            case "ge", ">=" -> ">=";
            default -> throw new JinjaException("unknown test '" + name + "'");
        };
    }
}

package dev.ringside.chat.jinja;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;

/** Filters that make numbers, and {@code default}. */
final class NumberFilters {

    static final Map<String, Filter> ALL = Map.of("abs", NumberFilters::abs, "int", NumberFilters::integer, "float", NumberFilters::real,
            "round", NumberFilters::round,
            "default", NumberFilters::fallback, "d", NumberFilters::fallback, "attr",
            (value, arguments, context) -> Access.attribute(value, arguments.text(0, "name").value(), context));

    private NumberFilters() {}

    private static Value fallback(Value value, CallArguments arguments, RenderContext context) {
        boolean falseToo = arguments.flag(1, "boolean", false);
        boolean missing = value instanceof Value.Undefined || falseToo && !Values.isTrue(value);
        return missing ? arguments.get(0, "default_value", Text.EMPTY) : value;
    }

    private static Value abs(Value value, CallArguments arguments, RenderContext context) {
        Operators.requireNumber(value);
        return value instanceof Value.Real real
                ? new Value.Real(Math.abs(real.value()))
                : Values.asLong(value) < 0 ? Operators.negate(value) : value;
    }

    private static Value integer(Value value, CallArguments arguments, RenderContext context) {
        Value fallback = arguments.get(0, "default", Values.integer(0));
        int base = arguments.integer(1, "base", 10);
        if (Values.isInteger(value)) {
            return Values.integer(Values.asLong(value));
        }
        try {
            if (value instanceof Text text) {
                String digits = Strings.strip(text, null, true, true).value();
                try {
                    return Values.integer(Long.parseLong(digits, base));
                } catch (NumberFormatException e) {
                    return Values.integer(truncate(Double.parseDouble(digits)));
                }
            }
            return value instanceof Value.Real real ? Values.integer(truncate(real.value())) : fallback;
        } catch (NumberFormatException e) {
            return fallback;
        }
    }

    private static long truncate(double value) {
        if (!(Math.abs(value) < 0x1p63)) {
            throw new NumberFormatException("out of range");
        }
        return (long) value;
    }

    private static Value real(Value value, CallArguments arguments, RenderContext context) {
        if (Values.isNumber(value)) {
            return new Value.Real(Values.asDouble(value));
        }
        try {
            if (value instanceof Text text) {
                return new Value.Real(Double.parseDouble(Strings.strip(text, null, true, true).value()));
            }
        } catch (NumberFormatException e) {
            return arguments.get(0, "default", new Value.Real(0));
        }
        return arguments.get(0, "default", new Value.Real(0));
    }

    private static Value round(Value value, CallArguments arguments, RenderContext context) {
        Operators.requireNumber(value);
        double number = Values.asDouble(value);
        int precision = Math.clamp(arguments.integer(0, "precision", 0), -300, 300);
        RoundingMode mode = switch (arguments.text(1, "method", "common").value()) {
            case "common" -> RoundingMode.HALF_EVEN;
            case "ceil" -> RoundingMode.CEILING;
            case "floor" -> RoundingMode.FLOOR;
            default -> throw new JinjaException("round method must be common, ceil or floor");
        };
        return Double.isFinite(number)
                ? new Value.Real(new BigDecimal(number).setScale(precision, mode).doubleValue())
                : new Value.Real(number);
    }
}

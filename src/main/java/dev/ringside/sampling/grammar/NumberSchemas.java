package dev.ringside.sampling.grammar;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** Numbers of a schema. */
final class NumberSchemas {

    private static final BigDecimal LIMIT = BigDecimal.TEN.pow(JsonSyntax.MAX_DIGITS);

    private NumberSchemas() {}

    static Expr expr(Schema schema, boolean integer) {
        // Every integer is a multiple of the steps that are supported.
        int step = places(schema);
        int places = integer ? 0 : step;
        Bound low = Bound.stricter(bound(schema, "minimum", false), bound(schema, "exclusiveMinimum", true), 1);
        Bound high = Bound.stricter(bound(schema, "maximum", false), bound(schema, "exclusiveMaximum", true), -1);
        if (low == null && high == null) {
            return integer || places == 0 ? JsonSyntax.INTEGER : places < JsonSyntax.MAX_DIGITS ? fixed(places) : JsonSyntax.NUMBER;
        }
        if (low != null && low.value.compareTo(LIMIT) >= 0 || high != null && high.value.compareTo(LIMIT.negate()) <= 0) {
            throw schema.error(low != null && low.value.compareTo(LIMIT) >= 0 ? "minimum" : "maximum",
                    "numbers of more than " + JsonSyntax.MAX_DIGITS + " digits are not supported");
        }
        Bound least = low == null || low.value.compareTo(LIMIT.negate()) <= 0 ? null : low;
        Bound most = high == null || high.value.compareTo(LIMIT) >= 0 ? null : high;
        return new NumberRange(least == null ? null : least.value, least != null && least.excluded, most == null ? null : most.value,
                most != null && most.excluded, places).expr();
    }

    private static Expr fixed(int places) {
        return new NumberRange(null, true, null, true, places).expr();
    }

    private record Bound(BigDecimal value, boolean excluded) {

        /** The bound that leaves less; {@code direction} 1 for lower bounds, -1 for upper ones. */
        static @Nullable Bound stricter(@Nullable Bound included, @Nullable Bound excluded, int direction) {
            if (included == null || excluded == null) {
                return included == null ? excluded : included;
            }
            return Integer.signum(included.value.compareTo(excluded.value)) == direction ? included : excluded;
        }
    }

    private static @Nullable Bound bound(Schema schema, String keyword, boolean excluded) {
        if (excluded && schema.get(keyword) instanceof Boolean) {
            throw schema.error(keyword, "expected a number as JSON Schema has it since draft 6, found a boolean");
        }
        BigDecimal value = schema.number(keyword);
        if (value == null) {
            return null;
        }
        if (value.scale() > JsonSyntax.MAX_DIGITS && value.stripTrailingZeros().scale() > JsonSyntax.MAX_DIGITS) {
            throw schema.error(keyword, "at most " + JsonSyntax.MAX_DIGITS + " digits behind the point are supported");
        }
        return new Bound(value, excluded);
    }

    /** Digits behind the point that {@code multipleOf} leaves: it must be a power of ten. */
    private static int places(Schema schema) {
        BigDecimal step = schema.number("multipleOf");
        if (step == null) {
            return JsonSyntax.MAX_DIGITS;
        }
        BigDecimal least = step.signum() == 0 ? step : step.stripTrailingZeros();
        if (!least.unscaledValue().equals(BigInteger.ONE) || least.scale() < 0 || least.scale() > JsonSyntax.MAX_DIGITS) {
            throw schema.error("multipleOf", "supported are 1, 0.1, 0.01 and so on, found " + step);
        }
        return least.scale();
    }
}

package dev.ringside.sampling.grammar;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values of {@code enum} and {@code const}. */
final class JsonConstants {

    private static final int MAX_PLAIN_DIGITS = 40;

    private JsonConstants() {}

    /** @throws UnsupportedSchemaException when it is not finite */
    static BigDecimal decimal(Number number, String path) {
        try {
            return number instanceof BigDecimal decimal ? decimal : new BigDecimal(number.toString());
        } catch (NumberFormatException e) {
            throw new UnsupportedSchemaException(path, "", number + " is no JSON number");
        }
    }

    /** Exactly this value; whitespace and the escapes of strings as they are usual. */
    static Expr expr(@Nullable Object value, JsonRules json, String path) {
        return switch (value) {
            case null -> JsonSyntax.NULL;
            case Boolean flag -> Expr.literal(flag.toString());
            case String text -> Expr.literal(quote(text));
            case Number number -> Expr.literal(plain(decimal(number, path)));
            case List<?> list -> {
                List<Expr> items = new ArrayList<>();
                list.forEach(item -> items.add(expr(item, json, path)));
                yield json.array(items, Expr.NEVER, items.size(), items.size());
            }
            case Map<?, ?> map -> {
                List<Expr.Member> members = new ArrayList<>();
                map.forEach((key, item) -> members
                        .add(new Expr.Member(json.member(Expr.literal(quote(String.valueOf(key))), expr(item, json, path)), true)));
                yield json.object(members, null);
            }
            default -> throw new UnsupportedSchemaException(path, "", "a " + value.getClass().getName() + " is no JSON value");
        };
    }

    static String quote(String text) {
        return "\"" + JsonString.escape(text) + "\"";
    }

    private static String plain(BigDecimal value) {
        BigDecimal least = value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros();
        boolean readable = Math.abs((long) least.scale()) < MAX_PLAIN_DIGITS && least.precision() < MAX_PLAIN_DIGITS;
        return readable ? least.toPlainString() : least.toString();
    }

    static String type(@Nullable Object value) {
        return switch (value) {
            case null -> "null";
            case Boolean flag -> "boolean";
            case String text -> "string";
            case List<?> list -> "array";
            case Map<?, ?> map -> "object";
            case Number number -> isInteger(decimal(number, "#")) ? "integer" : "number";
            default -> "";
        };
    }

    private static boolean isInteger(BigDecimal value) {
        return value.signum() == 0 || value.scale() <= 0 || value.stripTrailingZeros().scale() <= 0;
    }

    /** A value as one that is equal to it exactly when JSON Schema calls them equal: 1, 1.0 and 10e-1 are the same. */
    static @Nullable Object canonical(@Nullable Object value) {
        return switch (value) {
            case null -> null;
            case Number number -> {
                BigDecimal decimal = decimal(number, "#");
                yield decimal.signum() == 0 ? BigDecimal.ZERO : decimal.stripTrailingZeros();
            }
            case List<?> list -> {
                List<@Nullable Object> items = new ArrayList<>();
                list.forEach(item -> items.add(canonical(item)));
                yield items;
            }
            case Map<?, ?> map -> {
                Map<Object, @Nullable Object> members = new LinkedHashMap<>();
                map.forEach((key, item) -> members.put(key, canonical(item)));
                yield members;
            }
            default -> value;
        };
    }
}

package dev.ringside.chat.jinja;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What every value has: truth, a type name, equality, order, items; and the way in from Java's objects. */
final class Values {

    private static final int MAX_NESTING = 200;

    private Values() {}

    /** A Java value as JSON libraries make them: null, Boolean, Number, CharSequence, Map, Collection or array. All its strings are content. */
    static Value content(@Nullable Object value) {
        return content(value, 0);
    }

    private static Value content(@Nullable Object value, int depth) {
        if (depth > MAX_NESTING) {
            throw new JinjaException("value nested deeper than " + MAX_NESTING + " levels");
        }
        return switch (value) {
            case null -> Value.None.NONE;
            case Value known -> known;
            case Boolean flag -> Value.Bool.of(flag);
            case Double real -> new Value.Real(real);
            case Float real -> new Value.Real(real.doubleValue());
            case BigDecimal decimal -> new Value.Real(decimal.doubleValue());
            case BigInteger big when big.bitLength() > 63 -> new Value.Real(big.doubleValue());
            case Number integer -> new Value.Int(integer.longValue());
            case CharSequence text -> Text.content(text.toString());
            case Map<?, ?> map -> dict(map, depth);
            case Collection<?> items -> sequence(items, depth);
            case Object[] items -> sequence(Arrays.asList(items), depth);
            default -> throw new JinjaException("a " + value.getClass().getSimpleName() + " cannot be given to a template");
        };
    }

    private static Value dict(Map<?, ?> map, int depth) {
        Map<Value, Value> entries = LinkedHashMap.newLinkedHashMap(map.size());
        map.forEach((key, value) -> entries.put(Text.content(String.valueOf(key)), content(value, depth + 1)));
        return new Value.Dict(entries);
    }

    private static Value sequence(Collection<?> items, int depth) {
        List<Value> values = new ArrayList<>(items.size());
        items.forEach(item -> values.add(content(item, depth + 1)));
        return new Value.Sequence(values);
    }

    static boolean isTrue(Value value) {
        return switch (value) {
            case Value.Undefined ignored -> false;
            case Value.None ignored -> false;
            case Value.Bool bool -> bool.value();
            case Value.Int integer -> integer.value() != 0;
            case Value.Real real -> real.value() != 0;
            case Text text -> !text.isEmpty();
            case Value.Sequence sequence -> !sequence.items().isEmpty();
            case Value.Dict dict -> !dict.entries().isEmpty();
            case Value.Namespace ignored -> true;
            case Value.Function ignored -> true;
            case Loop ignored -> true;
        };
    }

    static String typeName(Value value) {
        return switch (value) {
            case Value.Undefined undefined -> "undefined value '" + undefined.name() + "'";
            case Value.None ignored -> "none";
            case Value.Bool ignored -> "bool";
            case Value.Int ignored -> "int";
            case Value.Real ignored -> "float";
            case Text ignored -> "string";
            case Value.Sequence ignored -> "list";
            case Value.Dict ignored -> "dict";
            case Value.Namespace ignored -> "namespace";
            case Value.Function ignored -> "function";
            case Loop ignored -> "loop";
        };
    }

    /** Equality of content; numbers are equal across types, and every compared pair costs a step. */
    @SuppressWarnings("ReferenceEquality") // namespaces, functions and loops are what they are, whatever they hold
    static boolean equal(Value left, Value right, Budget budget) {
        if (isNumber(left) && isNumber(right)) {
            return compareNumbers(left, right) == 0;
        }
        if (left instanceof Value.Undefined && right instanceof Value.Undefined) {
            return true;
        }
        if (left instanceof Value.Sequence a && right instanceof Value.Sequence b) {
            return a.tuple() == b.tuple() && equalItems(a.items(), b.items(), budget);
        }
        if (left instanceof Value.Dict(Map<Value, Value> a) && right instanceof Value.Dict(Map<Value, Value> b)) {
            return equalEntries(a, b, budget);
        }
        if (left instanceof Value.Namespace || left instanceof Value.Function || left instanceof Loop) {
            return left == right;
        }
        return left.equals(right);
    }

    private static boolean equalItems(List<Value> left, List<Value> right, Budget budget) {
        boolean equal = left.size() == right.size();
        budget.enter();
        for (int i = 0; equal && i < left.size(); i++) {
            budget.step();
            equal = equal(left.get(i), right.get(i), budget);
        }
        budget.leave();
        return equal;
    }

    private static boolean equalEntries(Map<Value, Value> left, Map<Value, Value> right, Budget budget) {
        boolean equal = left.size() == right.size();
        budget.enter();
        for (Map.Entry<Value, Value> entry : left.entrySet()) {
            budget.step();
            Value other = right.get(entry.getKey());
            equal = equal && other != null && equal(entry.getValue(), other, budget);
        }
        budget.leave();
        return equal;
    }

    /** Whether a number in arithmetic: booleans count as 0 and 1. */
    static boolean isNumber(Value value) {
        return value instanceof Value.Int || value instanceof Value.Real || value instanceof Value.Bool;
    }

    static boolean isInteger(Value value) {
        return value instanceof Value.Int || value instanceof Value.Bool;
    }

    static long asLong(Value value) {
        return switch (value) {
            case Value.Int integer -> integer.value();
            case Value.Bool bool -> bool.value() ? 1 : 0;
            default -> throw new JinjaException("expected an integer, found " + typeName(value));
        };
    }

    static double asDouble(Value value) {
        return value instanceof Value.Real real ? real.value() : asLong(value);
    }

    private static int compareNumbers(Value left, Value right) {
        return isInteger(left) && isInteger(right)
                ? Long.compare(asLong(left), asLong(right))
                : compareReals(asDouble(left), asDouble(right));
    }

    /** Zeroes are equal whatever their sign. */
    private static int compareReals(double left, double right) {
        return left == right ? 0 : Double.compare(left, right);
    }

    /** Order of numbers, texts and lists. */
    static int compare(Value left, Value right, Budget budget) {
        if (isNumber(left) && isNumber(right)) {
            return compareNumbers(left, right);
        }
        if (left instanceof Text a && right instanceof Text b) {
            return compareTexts(a.value(), b.value());
        }
        if (left instanceof Value.Sequence a && right instanceof Value.Sequence b) {
            return compareItems(a.items(), b.items(), budget);
        }
        throw new JinjaException("cannot compare " + typeName(left) + " with " + typeName(right));
    }

    private static int compareItems(List<Value> left, List<Value> right, Budget budget) {
        budget.enter();
        int order = 0;
        for (int i = 0; order == 0 && i < Math.min(left.size(), right.size()); i++) {
            if (!equal(left.get(i), right.get(i), budget)) {
                order = compare(left.get(i), right.get(i), budget);
            }
        }
        budget.leave();
        return order == 0 ? Integer.compare(left.size(), right.size()) : order;
    }

    /** By code points, where UTF-16 order puts U+E000 to U+FFFF last. */
    private static int compareTexts(String left, String right) {
        int mismatch = 0;
        int shorter = Math.min(left.length(), right.length());
        while (mismatch < shorter && left.charAt(mismatch) == right.charAt(mismatch)) {
            mismatch++;
        }
        return mismatch == shorter
                ? Integer.compare(left.length(), right.length())
                : Integer.compare(left.codePointAt(mismatch), right.codePointAt(mismatch));
    }

    /** The items that a loop or list filter sees: list items, dict keys, the characters of a text, nothing for undefined. */
    static List<Value> items(Value value, Budget budget) {
        return switch (value) {
            case Value.Sequence sequence -> sequence.items();
            case Value.Dict dict -> {
                budget.entries(dict.entries().size());
                yield List.copyOf(dict.entries().keySet());
            }
            case Text text -> characters(text, budget);
            case Value.Undefined ignored -> List.of();
            default -> throw new JinjaException(typeName(value) + " is not iterable");
        };
    }

    private static List<Value> characters(Text text, Budget budget) {
        budget.pieces(text.length());
        List<Value> characters = new ArrayList<>(text.length());
        for (int i = 0; i < text.length();) {
            int end = text.value().offsetByCodePoints(i, 1);
            characters.add(text.slice(i, end));
            i = end;
        }
        return characters;
    }

    static Text requireText(Value value, String what) {
        if (value instanceof Text text) {
            return text;
        }
        throw new JinjaException("expected a string for '" + what + "', found " + typeName(value));
    }

    static int requireInt(Value value, String what) {
        if (isInteger(value)) {
            return (int) Math.clamp(asLong(value), Integer.MIN_VALUE, Integer.MAX_VALUE);
        }
        throw new JinjaException("expected an integer for '" + what + "', found " + typeName(value));
    }

    static Value.Int integer(long value) {
        return new Value.Int(value);
    }

    static Value.Sequence list(Value... items) {
        return new Value.Sequence(List.of(items));
    }

    static Value.Sequence tuple(Value... items) {
        return new Value.Sequence(List.of(items), true);
    }
}

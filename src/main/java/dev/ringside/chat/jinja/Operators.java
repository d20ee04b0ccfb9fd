package dev.ringside.chat.jinja;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Arithmetic and comparisons as Python has them. */
final class Operators {

    private Operators() {}

    static Value apply(String operator, Value left, Value right, RenderContext context) {
        if (Values.isNumber(left) && Values.isNumber(right)) {
            return arithmetic(operator, left, right);
        }
        Budget budget = context.budget();
        switch (operator) {
            case "+" -> {
                if (left instanceof Text a && right instanceof Text b) {
                    budget.text((long) a.length() + b.length());
                    return new TextBuilder().append(a).append(b).build();
                }
                if (left instanceof Value.Sequence a && right instanceof Value.Sequence b) {
                    return joined(a.items(), b.items(), budget);
                }
            }
            case "*" -> {
                if (Values.isInteger(right) && (left instanceof Text || left instanceof Value.Sequence)) {
                    return repeated(left, Values.asLong(right), budget);
                }
                if (Values.isInteger(left) && (right instanceof Text || right instanceof Value.Sequence)) {
                    return repeated(right, Values.asLong(left), budget);
                }
            }
            case "%" -> {
                if (left instanceof Text format) {
                    return Formatting.percent(format,
                            right instanceof Value.Sequence sequence && sequence.tuple() ? sequence.items() : List.of(right), budget);
                }
            }
            default -> {
            }
        }
        throw new JinjaException("cannot compute " + Values.typeName(left) + " " + operator + " " + Values.typeName(right));
    }

    private static Value joined(List<Value> left, List<Value> right, Budget budget) {
        budget.text((long) left.size() + right.size());
        budget.entries((long) left.size() + right.size());
        List<Value> items = new ArrayList<>(left.size() + right.size());
        items.addAll(left);
        items.addAll(right);
        return new Value.Sequence(items);
    }

    private static Value repeated(Value value, long count, Budget budget) {
        int times = (int) Math.clamp(count, 0, Integer.MAX_VALUE);
        if (value instanceof Text text) {
            budget.text((long) text.length() * times);
            TextBuilder builder = new TextBuilder();
            for (int i = 0; i < times && !text.isEmpty(); i++) {
                builder.append(text);
            }
            return builder.build();
        }
        List<Value> items = ((Value.Sequence) value).items();
        budget.text((long) items.size() * times);
        budget.entries((long) items.size() * times);
        List<Value> repeated = new ArrayList<>();
        Collections.nCopies(items.isEmpty() ? 0 : times, items).forEach(repeated::addAll);
        return new Value.Sequence(repeated);
    }

    private static Value arithmetic(String operator, Value left, Value right) {
        try {
            return Values.isInteger(left) && Values.isInteger(right) && !operator.equals("/")
                    ? integers(operator, Values.asLong(left), Values.asLong(right))
                    : new Value.Real(reals(operator, Values.asDouble(left), Values.asDouble(right)));
        } catch (ArithmeticException e) {
            throw new JinjaException(operator + ": " + e.getMessage());
        }
    }

    private static Value integers(String operator, long left, long right) {
        return switch (operator) {
            case "+" -> Values.integer(Math.addExact(left, right));
            case "-" -> Values.integer(Math.subtractExact(left, right));
            case "*" -> Values.integer(Math.multiplyExact(left, right));
            case "//" -> Values.integer(Math.floorDiv(left, right));
            case "%" -> Values.integer(Math.floorMod(left, right));
            case "**" -> right < 0 ? new Value.Real(Math.pow((double) left, (double) right)) : Values.integer(power(left, right));
            default -> throw new JinjaException("unknown operator " + operator);
        };
    }

    private static long power(long base, long exponent) {
        if (base == 0 || base == 1) {
            return exponent == 0 ? 1 : base;
        }
        if (base == -1) {
            return exponent % 2 == 0 ? 1 : -1;
        }
        long result = 1;
        for (long i = 0; i < exponent; i++) { // overflows, and so ends, after 63 rounds
            result = Math.multiplyExact(result, base);
        }
        return result;
    }

    private static double reals(String operator, double left, double right) {
        if (right == 0 && (operator.equals("/") || operator.equals("//") || operator.equals("%"))) {
            throw new ArithmeticException("division by zero");
        }
        return switch (operator) {
            case "+" -> left + right;
            case "-" -> left - right;
            case "*" -> left * right;
            case "/" -> left / right;
            case "//" -> Math.floor(left / right);
            case "%" -> left - right * Math.floor(left / right);
            case "**" -> Math.pow(left, right);
            default -> throw new JinjaException("unknown operator " + operator);
        };
    }

    static Value negate(Value operand) {
        requireNumber(operand);
        return operand instanceof Value.Real real ? new Value.Real(-real.value()) : arithmetic("-", Values.integer(0), operand);
    }

    static Value requireNumber(Value operand) {
        if (!Values.isNumber(operand)) {
            throw new JinjaException("expected a number, found " + Values.typeName(operand));
        }
        return operand;
    }

    static boolean compare(String operator, Value left, Value right, Budget budget) {
        return switch (operator) {
            case "==" -> Values.equal(left, right, budget);
            case "!=" -> !Values.equal(left, right, budget);
            case "<" -> Values.compare(left, right, budget) < 0;
            case "<=" -> Values.compare(left, right, budget) <= 0;
            case ">" -> Values.compare(left, right, budget) > 0;
            case ">=" -> Values.compare(left, right, budget) >= 0;
            case "in" -> contains(right, left, budget);
            case "not in" -> !contains(right, left, budget);
            default -> throw new JinjaException("unknown comparison " + operator);
        };
    }

    /** {@code item in container}. */
    static boolean contains(Value container, Value item, Budget budget) {
        return switch (container) {
            case Text text -> {
                budget.copy(text.length());
                yield text.value().contains(Values.requireText(item, "in").value());
            }
            case Value.Dict dict -> Access.isKey(item) && dict.entries().containsKey(item);
            case Value.Sequence sequence -> {
                budget.copy(sequence.items().size());
                yield sequence.items().stream().anyMatch(other -> Values.equal(other, item, budget));
            }
            case Value.Undefined ignored -> false;
            default -> throw new JinjaException(Values.typeName(container) + " is not a container");
        };
    }
}

package dev.ringside.chat.jinja;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An expression of a template. */
sealed interface Expression {

    record Literal(Value value) implements Expression {}

    record Name(String name) implements Expression {}

    record ListLiteral(List<Expression> items, boolean tuple) implements Expression {}

    record DictLiteral(List<Expression> keys, List<Expression> values) implements Expression {}

    record Attribute(Expression target, String name) implements Expression {}

    record Subscript(Expression target, Expression index) implements Expression {}

    record Slice(Expression target, @Nullable Expression start, @Nullable Expression stop,
            @Nullable Expression step) implements Expression {}

    record Call(Expression callee, Arguments arguments) implements Expression {}

    /** {@code target | name(arguments)}. */
    record Filter(Expression target, String name, Arguments arguments) implements Expression {}

    /** {@code target is [not] name(arguments)}. */
    record Test(Expression target, String name, Arguments arguments, boolean negated) implements Expression {}

    record Not(Expression operand) implements Expression {}

    record Negative(Expression operand) implements Expression {}

    record Positive(Expression operand) implements Expression {}

    record Binary(String operator, Expression left, Expression right) implements Expression {}

    record And(Expression left, Expression right) implements Expression {}

    record Or(Expression left, Expression right) implements Expression {}

    /** {@code a ~ b ~ c}. */
    record Concatenation(List<Expression> parts) implements Expression {}

    /** {@code a < b <= c}: operand i is compared with operand i + 1. */
    record Comparison(List<Expression> operands, List<String> operators) implements Expression {}

    /** {@code then if test else otherwise}. */
    record Conditional(Expression test, Expression then, @Nullable Expression otherwise) implements Expression {}

    /** What stands between the brackets of a call. */
    record Arguments(List<Expression> positional, Map<String, Expression> named) {

        static final Arguments NONE = new Arguments(List.of(), Map.of());
    }
}

package dev.ringside.chat.jinja;

import dev.ringside.chat.jinja.Expression.Arguments;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Computes expressions. */
final class Evaluator {

    private final RenderContext context;
    private final Budget budget;

    Evaluator(RenderContext context) {
        this.context = context;
        this.budget = context.budget();
    }

    Value evaluate(Expression expression, Scope scope) {
        budget.enter();
        Value value = switch (expression) {
            case Expression.Literal literal -> literal.value();
            case Expression.Name name -> name(name.name(), scope);
            case Expression.ListLiteral list -> new Value.Sequence(all(list.items(), scope), list.tuple());
            case Expression.DictLiteral dict -> dict(dict, scope);
            case Expression.Attribute attribute -> Access.attribute(evaluate(attribute.target(), scope), attribute.name(), context);
            case Expression.Subscript subscript ->
                Access.subscript(evaluate(subscript.target(), scope), evaluate(subscript.index(), scope), context);
            case Expression.Slice slice -> slice(slice, scope);
            case Expression.Call call -> call(evaluate(call.callee(), scope), arguments(call.arguments(), scope));
            case Expression.Filter filter -> filter(evaluate(filter.target(), scope), filter.name(), filter.arguments(), scope);
            case Expression.Test test -> test(test, scope);
            case Expression.Not not -> Value.Bool.of(!Values.isTrue(evaluate(not.operand(), scope)));
            case Expression.Negative negative -> Operators.negate(evaluate(negative.operand(), scope));
            case Expression.Positive positive -> Operators.requireNumber(evaluate(positive.operand(), scope));
            case Expression.Binary binary ->
                Operators.apply(binary.operator(), evaluate(binary.left(), scope), evaluate(binary.right(), scope), context);
            case Expression.And and -> {
                Value left = evaluate(and.left(), scope);
                yield Values.isTrue(left) ? evaluate(and.right(), scope) : left;
            }
            case Expression.Or or -> {
                Value left = evaluate(or.left(), scope);
                yield Values.isTrue(left) ? left : evaluate(or.right(), scope);
            }
            case Expression.Concatenation concatenation -> concatenate(concatenation.parts(), scope);
            case Expression.Comparison comparison -> compare(comparison, scope);
            case Expression.Conditional conditional -> choose(conditional, scope);
        };
        budget.leave();
        return value;
    }

    private Value name(String name, Scope scope) {
        Value value = scope.find(name);
        if (value == null) {
            value = context.global(name);
        }
        return value == null ? new Value.Undefined(name) : value;
    }

    private List<Value> all(List<Expression> expressions, Scope scope) {
        List<Value> values = new ArrayList<>(expressions.size());
        for (Expression expression : expressions) {
            values.add(evaluate(expression, scope));
        }
        return values;
    }

    private Value dict(Expression.DictLiteral dict, Scope scope) {
        Map<Value, Value> entries = new LinkedHashMap<>();
        for (int i = 0; i < dict.keys().size(); i++) {
            entries.put(Access.requireKey(evaluate(dict.keys().get(i), scope)), evaluate(dict.values().get(i), scope));
        }
        return new Value.Dict(entries);
    }

    private Value slice(Expression.Slice slice, Scope scope) {
        return Access.slice(evaluate(slice.target(), scope), bound(slice.start(), scope), bound(slice.stop(), scope),
                bound(slice.step(), scope), budget);
    }

    private @Nullable Long bound(@Nullable Expression expression, Scope scope) {
        Value value = expression == null ? Value.None.NONE : evaluate(expression, scope);
        return value == Value.None.NONE ? null : Long.valueOf(Values.asLong(value));
    }

    CallArguments arguments(Arguments arguments, Scope scope) {
        if (arguments.positional().isEmpty() && arguments.named().isEmpty()) {
            return CallArguments.NONE;
        }
        Map<String, Value> named = new LinkedHashMap<>();
        List<Value> positional = all(arguments.positional(), scope);
        arguments.named().forEach((name, expression) -> named.put(name, evaluate(expression, scope)));
        return new CallArguments(positional, named);
    }

    Value call(Value callee, CallArguments arguments) {
        return switch (callee) {
            case Value.Function function -> function.body().call(arguments);
            case Loop loop -> loop.call(arguments);
            case Value.Undefined undefined -> throw new JinjaException("'" + undefined.name() + "' is undefined and cannot be called");
            default -> throw new JinjaException(Values.typeName(callee) + " cannot be called");
        };
    }

    Value filter(Value target, String name, Arguments arguments, Scope scope) {
        return context.filter(name, target, arguments(arguments, scope));
    }

    private Value test(Expression.Test test, Scope scope) {
        Value target = evaluate(test.target(), scope);
        return Value.Bool.of(context.test(test.name(), target, arguments(test.arguments(), scope)) != test.negated());
    }

    private Value concatenate(List<Expression> parts, Scope scope) {
        TextBuilder builder = new TextBuilder();
        for (Expression part : parts) {
            Text text = Printer.text(evaluate(part, scope), budget);
            budget.grow(builder.length(), text.length());
            builder.append(text);
        }
        return builder.build();
    }

    private Value compare(Expression.Comparison comparison, Scope scope) {
        Value left = evaluate(comparison.operands().getFirst(), scope);
        for (int i = 0; i < comparison.operators().size(); i++) {
            Value right = evaluate(comparison.operands().get(i + 1), scope);
            if (!Operators.compare(comparison.operators().get(i), left, right, budget)) {
                return Value.Bool.FALSE;
            }
            left = right;
        }
        return Value.Bool.TRUE;
    }

    private Value choose(Expression.Conditional conditional, Scope scope) {
        if (Values.isTrue(evaluate(conditional.test(), scope))) {
            return evaluate(conditional.then(), scope);
        }
        Expression otherwise = conditional.otherwise();
        return otherwise == null ? new Value.Undefined("the value of an inline if without else") : evaluate(otherwise, scope);
    }
}

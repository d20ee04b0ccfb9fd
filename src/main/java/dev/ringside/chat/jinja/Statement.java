package dev.ringside.chat.jinja;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement of a template. */
sealed interface Statement {

    record Data(Text text) implements Statement {}

    record Output(Expression expression, int line) implements Statement {}

    record If(List<Branch> branches, List<Statement> otherwise) implements Statement {}

    record Branch(Expression test, List<Statement> body, int line) {}

    record For(Target target, Expression items, @Nullable Expression filter, boolean recursive, List<Statement> body,
            List<Statement> otherwise, int line)
            implements
                Statement {}

    record Assign(Target target, Expression value, int line) implements Statement {}

    /** {@code {% set name | filter %}...{% endset %}}. */
    record AssignBlock(Target target, List<FilterCall> filters, List<Statement> body, int line) implements Statement {}

    record FilterBlock(List<FilterCall> filters, List<Statement> body, int line) implements Statement {}

    record FilterCall(String name, Expression.Arguments arguments) {}

    record Macro(String name, List<Parameter> parameters, List<Statement> body) implements Statement {}

    record Parameter(String name, @Nullable Expression fallback) {}

    /** {@code {% call(parameters) macro(arguments) %}body{% endcall %}}. */
    record CallBlock(Macro caller, Expression.Call call, int line) implements Statement {}

    record With(List<Assign> assignments, List<Statement> body) implements Statement {}

    /** Statements without a scope of their own. */
    record Group(List<Statement> body) implements Statement {}

    record Break() implements Statement {}

    record Continue() implements Statement {}

    /** What can stand left of {@code =} or between {@code for} and {@code in}. */
    sealed interface Target {

        record Name(String name) implements Target {}

        record Attribute(String namespace, String name) implements Target {}

        record Several(List<Target> targets) implements Target {}
    }
}

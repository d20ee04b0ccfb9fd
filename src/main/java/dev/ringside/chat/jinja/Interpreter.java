package dev.ringside.chat.jinja;

import dev.ringside.chat.jinja.Statement.FilterCall;
import dev.ringside.chat.jinja.Statement.Parameter;
import dev.ringside.chat.jinja.Statement.Target;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Executes statements. One per rendering. */
final class Interpreter {

    private enum Flow {
        ON, BREAK, CONTINUE
    }

    private final Budget budget;
    private final Evaluator evaluator;
    private int line = 1;

    Interpreter(RenderContext context) {
        this.budget = context.budget();
        this.evaluator = new Evaluator(context);
    }

    /** Renders a whole template. */
    Text render(List<Statement> statements, Scope variables) {
        TextBuilder output = new TextBuilder();
        try {
            execute(statements, new Scope(variables), output);
        } catch (JinjaException e) {
            throw e.atLine(line);
        }
        return output.build();
    }

    private Flow execute(List<Statement> statements, Scope scope, TextBuilder output) {
        for (Statement statement : statements) {
            Flow flow = execute(statement, scope, output);
            if (flow != Flow.ON) {
                return flow;
            }
        }
        return Flow.ON;
    }

    private Flow execute(Statement statement, Scope scope, TextBuilder output) {
        budget.enter();
        Flow flow = Flow.ON;
        switch (statement) {
            case Statement.Data data -> write(data.text(), output);
            case Statement.Output print -> {
                line = print.line();
                write(Printer.text(evaluator.evaluate(print.expression(), scope), budget), output);
            }
            case Statement.If branches -> flow = branch(branches, scope, output);
            case Statement.For loop -> {
                line = loop.line();
                loop(loop, evaluator.evaluate(loop.items(), scope), 0, scope, output);
            }
            case Statement.Assign assign -> assign(assign, scope, scope);
            case Statement.AssignBlock block -> {
                Text text = capture(block.body(), new Scope(scope));
                line = block.line();
                assign(block.target(), filtered(text, block.filters(), scope), scope);
            }
            case Statement.FilterBlock block -> {
                Text text = capture(block.body(), new Scope(scope));
                line = block.line();
                write(Printer.text(filtered(text, block.filters(), scope), budget), output);
            }
            case Statement.Macro macro -> scope.set(macro.name(), function(macro, scope));
            case Statement.CallBlock block -> {
                line = block.line();
                write(Printer.text(callWithBody(block, scope), budget), output);
            }
            case Statement.With with -> {
                Scope inner = new Scope(scope);
                with.assignments().forEach(assignment -> assign(assignment, inner, scope));
                flow = execute(with.body(), inner, output);
            }
            case Statement.Group group -> flow = execute(group.body(), scope, output);
            case Statement.Break ignored -> flow = Flow.BREAK;
            case Statement.Continue ignored -> flow = Flow.CONTINUE;
        }
        budget.leave();
        return flow;
    }

    private void write(Text text, TextBuilder output) {
        budget.grow(output.length(), text.length());
        output.append(text);
    }

    private Text capture(List<Statement> body, Scope scope) {
        TextBuilder output = new TextBuilder();
        execute(body, scope, output);
        return output.build();
    }

    private Value filtered(Text text, List<FilterCall> filters, Scope scope) {
        Value value = text;
        for (FilterCall filter : filters) {
            value = evaluator.filter(value, filter.name(), filter.arguments(), scope);
        }
        return value;
    }

    private Flow branch(Statement.If statement, Scope scope, TextBuilder output) {
        for (Statement.Branch branch : statement.branches()) {
            line = branch.line();
            if (Values.isTrue(evaluator.evaluate(branch.test(), scope))) {
                return execute(branch.body(), scope, output);
            }
        }
        return execute(statement.otherwise(), scope, output);
    }

    private void loop(Statement.For loop, Value iterable, int depth, Scope scope, TextBuilder output) {
        List<Value> items = selected(loop, Values.items(iterable, budget), scope);
        if (items.isEmpty()) {
            execute(loop.otherwise(), new Scope(scope), output);
            return;
        }
        Loop state = new Loop(items, depth, loop.recursive() ? (inner, level) -> {
            TextBuilder text = new TextBuilder();
            loop(loop, inner, level, scope, text);
            return text.build();
        } : null, budget);
        for (int i = 0; i < items.size(); i++) {
            budget.step();
            Scope round = new Scope(scope);
            state.moveTo(i);
            round.set("loop", state);
            assign(loop.target(), items.get(i), round);
            if (execute(loop.body(), round, output) == Flow.BREAK) {
                break;
            }
        }
    }

    private List<Value> selected(Statement.For loop, List<Value> items, Scope scope) {
        Expression filter = loop.filter();
        if (filter == null) {
            return items;
        }
        List<Value> selected = new ArrayList<>();
        for (Value item : items) {
            Scope candidate = new Scope(scope);
            assign(loop.target(), item, candidate);
            if (Values.isTrue(evaluator.evaluate(filter, candidate))) {
                selected.add(item);
            }
        }
        return selected;
    }

    private void assign(Statement.Assign assign, Scope scope, Scope source) {
        line = assign.line();
        assign(assign.target(), evaluator.evaluate(assign.value(), source), scope);
    }

    private void assign(Target target, Value value, Scope scope) {
        switch (target) {
            case Target.Name name -> scope.set(name.name(), value);
            case Target.Attribute attribute -> {
                if (!(scope.find(attribute.namespace()) instanceof Value.Namespace namespace)) {
                    throw new JinjaException("'" + attribute.namespace() + "' is not a namespace, so its attributes cannot be set");
                }
                namespace.attributes().put(attribute.name(), value);
            }
            case Target.Several several -> {
                List<Value> values = Values.items(value, budget);
                if (values.size() != several.targets().size()) {
                    throw new JinjaException("cannot unpack " + values.size() + " values into " + several.targets().size() + " names");
                }
                for (int i = 0; i < values.size(); i++) {
                    assign(several.targets().get(i), values.get(i), scope);
                }
            }
        }
    }

    private Value.Function function(Statement.Macro macro, Scope definition) {
        return new Value.Function(macro.name(), arguments -> callMacro(macro, definition, arguments));
    }

    private Value callWithBody(Statement.CallBlock block, Scope scope) {
        Value callee = evaluator.evaluate(block.call().callee(), scope);
        CallArguments arguments = evaluator.arguments(block.call().arguments(), scope);
        Map<String, Value> named = new LinkedHashMap<>(arguments.named());
        named.put("caller", function(block.caller(), scope));
        return evaluator.call(callee, new CallArguments(arguments.positional(), named));
    }

    private Text callMacro(Statement.Macro macro, Scope definition, CallArguments arguments) {
        int callLine = line;
        Scope scope = new Scope(definition);
        bind(macro.parameters(), arguments, scope);
        Text text = capture(macro.body(), scope);
        line = callLine;
        return text;
    }

    private void bind(List<Parameter> parameters, CallArguments arguments, Scope scope) {
        Map<String, Value> extra = new LinkedHashMap<>(arguments.named());
        for (int i = 0; i < parameters.size(); i++) {
            Parameter parameter = parameters.get(i);
            Value value = arguments.get(i, parameter.name());
            if (value == null) {
                value = parameter.fallback() == null
                        ? new Value.Undefined(parameter.name())
                        : evaluator.evaluate(parameter.fallback(), scope);
            }
            scope.set(parameter.name(), value);
            extra.remove(parameter.name());
        }
        int bound = Math.min(parameters.size(), arguments.positional().size());
        scope.set("varargs", new Value.Sequence(arguments.positional().subList(bound, arguments.positional().size())));
        Value caller = extra.remove("caller");
        if (caller != null) {
            scope.set("caller", caller);
        }
        Map<Value, Value> rest = new LinkedHashMap<>();
        extra.forEach((name, value) -> rest.put(Text.template(name), value));
        scope.set("kwargs", new Value.Dict(rest));
    }
}

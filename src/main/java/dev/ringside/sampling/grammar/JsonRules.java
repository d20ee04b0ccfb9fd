package dev.ringside.sampling.grammar;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules of JSON within one grammar: arrays and objects from their parts, and any value, object or array at all. */
final class JsonRules {

    private final Expr space = JsonSyntax.space();
    private final Expr.Rule comma = new Expr.Rule("comma", Expr.sequence(Expr.literal(","), space));
    private final Expr.Rule value = new Expr.Rule("any value");
    private final Expr.Rule object = new Expr.Rule("any object");
    private final Expr.Rule array = new Expr.Rule("any array");

    JsonRules() {
        object.define(object(List.of(), member(JsonSyntax.ANY_STRING, value)));
        array.define(array(List.of(), value, 0, Expr.UNBOUNDED));
        value.define(Expr.choice(JsonSyntax.ANY_STRING, JsonSyntax.NUMBER, JsonSyntax.BOOLEAN, JsonSyntax.NULL, object, array));
    }

    Expr anyValue() {
        return value;
    }

    Expr anyObject() {
        return object;
    }

    /** @param extra further members that may come behind the others */
    Expr object(List<Expr.Member> members, @Nullable Expr extra) {
        return Expr.sequence(Expr.literal("{"), space, new Expr.Members(members, comma, extra), space, Expr.literal("}"));
    }

    Expr member(Expr key, Expr memberValue) {
        return Expr.sequence(key, Expr.literal(":"), JsonSyntax.blank(), memberValue);
    }

    /** @param items values behind those of {@code prefix} */
    Expr array(List<Expr> prefix, Expr items, int min, int max) {
        List<Expr> steps = new ArrayList<>();
        int fixed = Math.min(prefix.size(), max);
        for (int i = 0; i < fixed; i++) {
            steps.add(i == 0 ? prefix.get(i) : Expr.sequence(comma, prefix.get(i)));
        }
        int required = Math.min(min, fixed);
        if (max > fixed) {
            if (fixed == 0) {
                steps.add(items);
                required = Math.min(min, 1);
                fixed = 1;
            }
            if (max > fixed) {
                steps.add(
                        new Expr.Repeat(Expr.sequence(comma, items), Math.max(0, min - fixed), max == Expr.UNBOUNDED ? max : max - fixed));
                required = min > fixed ? steps.size() : required;
            }
        }
        return Expr.sequence(Expr.literal("["), space, new Expr.Chain(steps, required), space, Expr.literal("]"));
    }
}

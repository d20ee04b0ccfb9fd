package dev.ringside.chat.jinja;

import dev.ringside.chat.jinja.Value.Function;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Python's dict methods, as far as they change nothing. */
final class DictMethods {

    private DictMethods() {}

    static @Nullable Value method(Value.Dict dict, String name, Budget budget) {
        Function.Body body = switch (name) {
            case "items" -> arguments -> items(dict, budget);
            case "keys" -> arguments -> new Value.Sequence(Values.items(dict, budget));
            case "values" -> arguments -> {
                budget.entries(dict.entries().size());
                return new Value.Sequence(List.copyOf(dict.entries().values()));
            };
            case "get" -> arguments -> {
                Value value = dict.entries().get(Access.requireKey(arguments.require(0, "key")));
                return value == null ? arguments.get(1, "default", Value.None.NONE) : value;
            };
            case "copy" -> arguments -> dict;
            case "update", "pop", "popitem", "clear", "setdefault" -> arguments -> {
                throw new JinjaException("dict." + name + " would change a value; values given to templates are immutable");
            };
            default -> null;
        };
        return body == null ? null : new Function("dict." + name, body);
    }

    /** The entries as tuples of key and value. */
    static Value.Sequence items(Value.Dict dict, Budget budget) {
        budget.pieces(dict.entries().size());
        List<Value> items = new ArrayList<>(dict.entries().size());
        dict.entries().forEach((key, value) -> items.add(Values.tuple(key, value)));
        return new Value.Sequence(items);
    }
}

package dev.ringside.chat.jinja;

import dev.ringside.chat.jinja.Value.Function;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Python's list methods, as far as they change nothing. */
final class SequenceMethods {

    private SequenceMethods() {}

    static @Nullable Value method(Value.Sequence sequence, String name, Budget budget) {
        List<Value> items = sequence.items();
        Function.Body body = switch (name) {
            case "index" -> arguments -> {
                budget.copy(items.size());
                for (int i = 0; i < items.size(); i++) {
                    if (Values.equal(items.get(i), arguments.require(0, "value"), budget)) {
                        return Values.integer(i);
                    }
                }
                throw new JinjaException("value is not in the list");
            };
            case "count" -> arguments -> {
                budget.copy(items.size());
                return Values.integer(items.stream().filter(item -> Values.equal(item, arguments.require(0, "value"), budget)).count());
            };
            case "copy" -> arguments -> sequence;
            case "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse" -> arguments -> {
                throw new JinjaException("list." + name + " would change a value; write 'set x = x + [item]'");
            };
            default -> null;
        };
        return body == null ? null : new Function("list." + name, body);
    }
}

package dev.ringside.chat.jinja;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Names and their values; what is not found here is looked for outside. Assignments stay in the innermost scope. */
final class Scope {

    private final @Nullable Scope outer;
    private final Map<String, Value> values = new HashMap<>();

    Scope(@Nullable Scope outer) {
        this.outer = outer;
    }

    @Nullable
    Value find(String name) {
        for (Scope scope = this; scope != null; scope = scope.outer) {
            Value value = scope.values.get(name);
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    void set(String name, Value value) {
        values.put(name, value);
    }
}

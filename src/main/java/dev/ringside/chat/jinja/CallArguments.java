package dev.ringside.chat.jinja;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Evaluated arguments of a call, filter or test. */
record CallArguments(List<Value> positional, Map<String, Value> named) {

    static final CallArguments NONE = new CallArguments(List.of(), Map.of());

    static CallArguments of(Value... positional) {
        return new CallArguments(List.of(positional), Map.of());
    }

    /** The argument with this position or name, or null. */
    @Nullable
    Value get(int position, String name) {
        return position < positional.size() ? positional.get(position) : named.get(name);
    }

    Value get(int position, String name, Value fallback) {
        Value value = get(position, name);
        return value == null ? fallback : value;
    }

    Value require(int position, String name) {
        Value value = get(position, name);
        if (value == null) {
            throw new JinjaException("argument '" + name + "' is missing");
        }
        return value;
    }

    Text text(int position, String name) {
        return Values.requireText(require(position, name), name);
    }

    Text text(int position, String name, String fallback) {
        Value value = get(position, name);
        return value == null ? Text.template(fallback) : Values.requireText(value, name);
    }

    /** An integer argument; none counts as absent. */
    int integer(int position, String name, int fallback) {
        Value value = get(position, name);
        return value == null || value == Value.None.NONE ? fallback : Values.requireInt(value, name);
    }

    boolean flag(int position, String name, boolean fallback) {
        Value value = get(position, name);
        return value == null ? fallback : Values.isTrue(value);
    }

    /** Without the first positional ones. */
    CallArguments skip(int count) {
        return new CallArguments(positional.subList(Math.min(count, positional.size()), positional.size()), named);
    }
}

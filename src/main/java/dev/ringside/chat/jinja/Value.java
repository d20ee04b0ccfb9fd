package dev.ringside.chat.jinja;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A value of the template language. All but {@link Namespace} are immutable, so no value can contain itself. */
sealed interface Value permits Value.Undefined, Value.None, Value.Bool, Value.Int, Value.Real, Text, Value.Sequence, Value.Dict,
        Value.Namespace, Value.Function,
        Loop {

    /** The value of a name or attribute that does not exist: empty, false, and an error when more is asked of it. */
    record Undefined(String name) implements Value {}

    enum None implements Value {
        NONE
    }

    record Bool(boolean value) implements Value {

        static final Bool TRUE = new Bool(true);
        static final Bool FALSE = new Bool(false);

        static Bool of(boolean value) {
            return value ? TRUE : FALSE;
        }
    }

    record Int(long value) implements Value {}

    record Real(double value) implements Value {}

    /** A list or tuple; they differ in how they print and in the {@code %} operator. */
    record Sequence(List<Value> items, boolean tuple) implements Value {

        Sequence(List<Value> items) {
            this(items, false);
        }
    }

    /** A mapping in insertion order. Keys are texts, integers, reals, booleans or none; texts are equal whatever their origin. */
    record Dict(Map<Value, Value> entries) implements Value {

        @Nullable
        Value get(String key) {
            return entries.get(Text.template(key));
        }
    }

    /** What {@code namespace()} makes: attributes that templates may set from inside loops. */
    record Namespace(Map<String, Value> attributes) implements Value {}

    /** Something that can be called. */
    record Function(String name, Body body) implements Value {

        /** What a call does. */
        interface Body {
            Value call(CallArguments arguments);
        }
    }
}

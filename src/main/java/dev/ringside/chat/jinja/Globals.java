package dev.ringside.chat.jinja;

import dev.ringside.chat.jinja.Value.Function;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The functions that every template can call. */
final class Globals {

    private static final int MAX_RANGE = 100_000;

    private Globals() {}

    static @Nullable Value find(String name, RenderContext context) {
        Function.Body body = switch (name) {
            case "range" -> arguments -> range(arguments, context.budget());
            case "namespace" -> arguments -> new Value.Namespace(named(arguments));
            case "dict" -> Globals::dict;
            case "raise_exception" -> arguments -> {
                throw JinjaException.raised(Printer.text(arguments.require(0, "message"), context.budget()).value());
            };
            case "strftime_now" -> arguments -> now(arguments, context.now().get());
            case "joiner" -> Globals::joiner;
            default -> null;
        };
        return body == null ? null : new Function(name, body);
    }

    private static Value range(CallArguments arguments, Budget budget) {
        long first = Values.asLong(arguments.require(0, "stop"));
        boolean single = arguments.positional().size() == 1;
        long start = single ? 0 : first;
        long stop = single ? first : Values.asLong(arguments.require(1, "stop"));
        long step = arguments.positional().size() < 3 ? 1 : Values.asLong(arguments.require(2, "step"));
        if (step == 0) {
            throw new JinjaException("range step cannot be zero");
        }
        List<Value> items = new ArrayList<>();
        for (long i = start; step > 0 ? i < stop : i > stop; i += step) {
            if (items.size() == MAX_RANGE) {
                throw new JinjaException("range of more than " + MAX_RANGE + " numbers");
            }
            budget.entries(1);
            items.add(Values.integer(i));
        }
        return new Value.Sequence(items);
    }

    private static Map<String, Value> named(CallArguments arguments) {
        Map<String, Value> attributes = new LinkedHashMap<>();
        for (Value value : arguments.positional()) {
            if (!(value instanceof Value.Dict dict)) {
                throw new JinjaException("namespace takes dicts and named values, not a " + Values.typeName(value));
            }
            dict.entries().forEach((key, entry) -> attributes.put(Values.requireText(key, "key").value(), entry));
        }
        attributes.putAll(arguments.named());
        return attributes;
    }

    private static Value dict(CallArguments arguments) {
        Map<Value, Value> entries = new LinkedHashMap<>();
        if (arguments.get(0, "") instanceof Value.Dict dict) {
            entries.putAll(dict.entries());
        }
        arguments.named().forEach((name, value) -> entries.put(Text.template(name), value));
        return new Value.Dict(entries);
    }

    private static Value joiner(CallArguments arguments) {
        Text separator = arguments.text(0, "sep", ", ");
        AtomicBoolean used = new AtomicBoolean();
        return new Function("joiner", ignored -> used.getAndSet(true) ? separator : Text.EMPTY);
    }

    private static Value now(CallArguments arguments, ZonedDateTime now) {
        return Text.template(DateFormat.format(arguments.text(0, "format").value(), now));
    }
}

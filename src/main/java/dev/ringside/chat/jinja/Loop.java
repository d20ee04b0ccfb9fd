package dev.ringside.chat.jinja;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@code loop} variable: where a {@code for} is. Belongs to one execution of one loop. */
final class Loop implements Value {

    /** Runs a recursive loop's body over other items, one level deeper. */
    interface Recursion {
        Text descend(Value items, int depth);
    }

    private final List<Value> items;
    private final int depth;
    private final @Nullable Recursion recursion;
    private final Budget budget;
    private int index;
    private @Nullable List<Value> watched;

    Loop(List<Value> items, int depth, @Nullable Recursion recursion, Budget budget) {
        this.items = items;
        this.depth = depth;
        this.recursion = recursion;
        this.budget = budget;
    }

    void moveTo(int newIndex) {
        index = newIndex;
    }

    Value attribute(String name) {
        int size = items.size();
        return switch (name) {
            case "index" -> Values.integer(index + 1L);
            case "index0" -> Values.integer(index);
            case "revindex" -> Values.integer(size - index);
            case "revindex0" -> Values.integer(size - index - 1L);
            case "first" -> Value.Bool.of(index == 0);
            case "last" -> Value.Bool.of(index == size - 1);
            case "length" -> Values.integer(size);
            case "depth" -> Values.integer(depth + 1L);
            case "depth0" -> Values.integer(depth);
            case "previtem" -> index > 0 ? items.get(index - 1) : new Value.Undefined("loop.previtem");
            case "nextitem" -> index + 1 < size ? items.get(index + 1) : new Value.Undefined("loop.nextitem");
            case "cycle" -> new Value.Function("loop.cycle", this::cycle);
            case "changed" -> new Value.Function("loop.changed", this::changed);
            default -> new Value.Undefined("loop." + name);
        };
    }

    Value call(CallArguments arguments) {
        if (recursion == null) {
            throw new JinjaException("loop(...) needs 'for ... recursive'");
        }
        return recursion.descend(arguments.require(0, "iterable"), depth + 1);
    }

    private Value cycle(CallArguments arguments) {
        List<Value> choices = arguments.positional();
        if (choices.isEmpty()) {
            throw new JinjaException("loop.cycle needs something to cycle through");
        }
        return choices.get(index % choices.size());
    }

    private Value changed(CallArguments arguments) {
        boolean same = watched != null && Values.equal(new Value.Sequence(watched), new Value.Sequence(arguments.positional()), budget);
        watched = arguments.positional();
        return Value.Bool.of(!same);
    }
}

package dev.ringside.chat.jinja;

import java.time.ZonedDateTime;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What one rendering has at hand: the budget, the time, and the filters, tests and functions by name. */
record RenderContext(Budget budget, Supplier<ZonedDateTime> now) {

    Value filter(String name, Value target, CallArguments arguments) {
        Filter filter = TextFilters.ALL.get(name);
        if (filter == null) {
            filter = SequenceFilters.ALL.get(name);
        }
        if (filter == null) {
            filter = NumberFilters.ALL.get(name);
        }
        if (filter == null) {
            throw new JinjaException("unknown filter '" + name + "'");
        }
        budget.step();
        return filter.apply(target, arguments, this);
    }

    boolean test(String name, Value target, CallArguments arguments) {
        return Tests.test(name, target, arguments, this);
    }

    @Nullable
    Value global(String name) {
        return Globals.find(name, this);
    }
}

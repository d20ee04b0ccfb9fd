package dev.ringside.chat.jinja;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Filters over lists and dicts. */
final class SequenceFilters {

    static final Map<String, Filter> ALL = Map.ofEntries(Map.entry("length", (value, arguments, context) -> length(value)),
            Map.entry("count", (value, arguments, context) -> length(value)),
            Map.entry("list", (value, arguments, context) -> new Value.Sequence(items(value, context))),
            Map.entry("items", SequenceFilters::entries),
            Map.entry("first", (value, arguments, context) -> end(items(value, context), true)),
            Map.entry("last", (value, arguments, context) -> end(items(value, context), false)),
            Map.entry("join", SequenceFilters::join),
            Map.entry("reverse", (value, arguments, context) -> Access.slice(value, null, null, -1L, context.budget())),
            Map.entry("map", SequenceFilters::map),
            Map.entry("select", (value, arguments, context) -> select(value, null, arguments, true, context)),
            Map.entry("reject", (value, arguments, context) -> select(value, null, arguments, false, context)),
            Map.entry("selectattr",
                    (value, arguments, context) -> select(value, arguments.require(0, "attribute"), arguments.skip(1), true, context)),
            Map.entry("rejectattr",
                    (value, arguments, context) -> select(value, arguments.require(0, "attribute"), arguments.skip(1), false, context)),
            Map.entry("sort", SequenceFilters::sort), Map.entry("dictsort", SequenceFilters::sortDict),
            Map.entry("unique", SequenceFilters::unique),
            Map.entry("groupby", SequenceFilters::group),
            Map.entry("min", (value, arguments, context) -> extreme(value, arguments, -1, context)),
            Map.entry("max", (value, arguments, context) -> extreme(value, arguments, 1, context)),
            Map.entry("sum", SequenceFilters::sum),
            Map.entry("batch", SequenceFilters::batch), Map.entry("slice", SequenceFilters::slices));

    private SequenceFilters() {}

    private static List<Value> items(Value value, RenderContext context) {
        List<Value> items = Values.items(value, context.budget());
        context.budget().entries(items.size());
        return items;
    }

    private static Value length(Value value) {
        return Values.integer(switch (value) {
            case Text text -> CodePointText.length(text);
            case Value.Sequence sequence -> sequence.items().size();
            case Value.Dict dict -> dict.entries().size();
            case Value.Undefined ignored -> 0;
            default -> throw new JinjaException(Values.typeName(value) + " has no length");
        });
    }

    private static Value entries(Value value, CallArguments arguments, RenderContext context) {
        return switch (value) {
            case Value.Dict dict -> DictMethods.items(dict, context.budget());
            case Value.Undefined ignored -> Values.list();
            default -> throw new JinjaException("'items' needs a dict, found " + Values.typeName(value));
        };
    }

    private static Value end(List<Value> items, boolean first) {
        if (items.isEmpty()) {
            return new Value.Undefined(first ? "first item of nothing" : "last item of nothing");
        }
        return first ? items.getFirst() : items.getLast();
    }

    private static Value join(Value value, CallArguments arguments, RenderContext context) {
        Text separator = Printer.text(arguments.get(0, "d", Text.EMPTY), context.budget());
        Value attribute = arguments.get(1, "attribute");
        List<Value> items = items(value, context).stream().map(item -> path(item, attribute, context)).toList();
        return Strings.join(items, separator, true, context.budget());
    }

    private static Value map(Value value, CallArguments arguments, RenderContext context) {
        Value attribute = arguments.named().get("attribute");
        List<Value> mapped = new ArrayList<>();
        for (Value item : items(value, context)) {
            if (attribute == null) {
                mapped.add(context.filter(arguments.text(0, "filter").value(), item, arguments.skip(1)));
            } else {
                Value found = path(item, attribute, context);
                mapped.add(found instanceof Value.Undefined ? arguments.named().getOrDefault("default", found) : found);
            }
        }
        return new Value.Sequence(mapped);
    }

    /** @param arguments name of a test and its arguments; without a name truth is tested */
    private static Value select(Value value, @Nullable Value attribute, CallArguments arguments, boolean wanted, RenderContext context) {
        List<Value> selected = new ArrayList<>();
        for (Value item : items(value, context)) {
            Value subject = path(item, attribute, context);
            boolean holds = arguments.positional().isEmpty()
                    ? Values.isTrue(subject)
                    : context.test(arguments.text(0, "test").value(), subject, arguments.skip(1));
            if (holds == wanted) {
                selected.add(item);
            }
        }
        return new Value.Sequence(selected);
    }

    /** The value at a dotted path, or the item itself without one. */
    private static Value path(Value item, @Nullable Value attribute, RenderContext context) {
        if (attribute == null || attribute == Value.None.NONE) {
            return item;
        }
        if (!(attribute instanceof Text path)) {
            return Access.subscript(item, attribute, context);
        }
        Value found = item;
        for (Value step : Strings.split(path, Text.template("."), -1, context.budget()).items()) {
            String name = ((Text) step).value();
            boolean index = !name.isEmpty() && name.length() < 10 && name.chars().allMatch(c -> c >= '0' && c <= '9');
            found = Access.subscript(found, index ? Values.integer(Long.parseLong(name)) : step, context);
        }
        return found;
    }

    private static Value folded(Value value, boolean caseSensitive) {
        return !caseSensitive && value instanceof Text text ? text.derive(text.value().toLowerCase(Locale.ROOT)) : value;
    }

    private static Comparator<Value> order(@Nullable Value attribute, boolean caseSensitive, RenderContext context) {
        return (left, right) -> {
            context.budget().step();
            return Values.compare(folded(path(left, attribute, context), caseSensitive),
                    folded(path(right, attribute, context), caseSensitive), context.budget());
        };
    }

    private static Value sort(Value value, CallArguments arguments, RenderContext context) {
        Comparator<Value> order = order(arguments.get(2, "attribute"), arguments.flag(1, "case_sensitive", false), context);
        List<Value> sorted = new ArrayList<>(items(value, context));
        sorted.sort(arguments.flag(0, "reverse", false) ? order.reversed() : order);
        return new Value.Sequence(sorted);
    }

    private static Value sortDict(Value value, CallArguments arguments, RenderContext context) {
        if (!(value instanceof Value.Dict dict)) {
            throw new JinjaException("'dictsort' needs a dict, found " + Values.typeName(value));
        }
        int by = arguments.text(1, "by", "key").value().equals("value") ? 1 : 0;
        Comparator<Value> order = order(Values.integer(by), arguments.flag(0, "case_sensitive", false), context);
        List<Value> sorted = new ArrayList<>(DictMethods.items(dict, context.budget()).items());
        sorted.sort(arguments.flag(2, "reverse", false) ? order.reversed() : order);
        return new Value.Sequence(sorted);
    }

    private static Value unique(Value value, CallArguments arguments, RenderContext context) {
        boolean caseSensitive = arguments.flag(0, "case_sensitive", false);
        Value attribute = arguments.get(1, "attribute");
        Map<Value, Value> seen = new LinkedHashMap<>();
        items(value, context)
                .forEach(item -> seen.putIfAbsent(Access.requireKey(folded(path(item, attribute, context), caseSensitive)), item));
        return new Value.Sequence(List.copyOf(seen.values()));
    }

    private static Value group(Value value, CallArguments arguments, RenderContext context) {
        Value attribute = arguments.require(0, "attribute");
        Map<Value, List<Value>> groups = new TreeMap<>((left, right) -> Values.compare(left, right, context.budget()));
        for (Value item : items(value, context)) {
            Value key = path(item, attribute, context);
            groups.computeIfAbsent(key instanceof Value.Undefined ? arguments.get(1, "default", key) : key, ignored -> new ArrayList<>())
                    .add(item);
        }
        List<Value> pairs = new ArrayList<>();
        groups.forEach((key, members) -> pairs.add(Values.tuple(key, new Value.Sequence(members))));
        return new Value.Sequence(pairs);
    }

    private static Value extreme(Value value, CallArguments arguments, int direction, RenderContext context) {
        Comparator<Value> order = order(arguments.get(1, "attribute"), arguments.flag(0, "case_sensitive", false), context);
        List<Value> items = items(value, context);
        if (items.isEmpty()) {
            return new Value.Undefined("extreme of nothing");
        }
        Value best = items.getFirst();
        for (Value item : items) {
            if (Integer.signum(order.compare(item, best)) == direction) {
                best = item;
            }
        }
        return best;
    }

    private static Value sum(Value value, CallArguments arguments, RenderContext context) {
        Value total = arguments.get(1, "start", Values.integer(0));
        for (Value item : items(value, context)) {
            total = Operators.apply("+", total, path(item, arguments.get(0, "attribute"), context), context);
        }
        return total;
    }

    private static Value batch(Value value, CallArguments arguments, RenderContext context) {
        int size = atLeastOne(arguments.integer(0, "linecount", 0), "linecount");
        Value fill = arguments.get(1, "fill_with");
        List<Value> items = items(value, context);
        List<Value> batches = new ArrayList<>();
        for (int start = 0; start < items.size(); start += size) {
            List<Value> batch = new ArrayList<>(items.subList(start, (int) Math.min(items.size(), (long) start + size)));
            context.budget().entries(Math.min(size, items.size()));
            while (fill != null && batch.size() < size) {
                context.budget().entries(1);
                batch.add(fill);
            }
            batches.add(new Value.Sequence(batch));
            if (size > items.size() - start) {
                break;
            }
        }
        return new Value.Sequence(batches);
    }

    private static Value slices(Value value, CallArguments arguments, RenderContext context) {
        int count = atLeastOne(arguments.integer(0, "slices", 0), "slices");
        Value fill = arguments.get(1, "fill_with");
        List<Value> items = items(value, context);
        context.budget().pieces(count);
        int each = items.size() / count;
        int longer = items.size() % count;
        List<Value> slices = new ArrayList<>();
        for (int i = 0, start = 0; i < count; i++) {
            int end = start + each + (i < longer ? 1 : 0);
            List<Value> slice = new ArrayList<>(items.subList(start, end));
            if (fill != null && longer > 0 && i >= longer) {
                slice.add(fill);
            }
            slices.add(new Value.Sequence(slice));
            start = end;
        }
        return new Value.Sequence(slices);
    }

    private static int atLeastOne(int number, String name) {
        if (number < 1) {
            throw new JinjaException("'" + name + "' must be at least 1");
        }
        return number;
    }
}

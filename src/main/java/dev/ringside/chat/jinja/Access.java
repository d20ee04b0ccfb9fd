package dev.ringside.chat.jinja;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Attributes, subscripts and slices. */
final class Access {

    private Access() {}

    /** {@code target.name}: a method of strings and dicts first, then an entry. */
    static Value attribute(Value target, String name, RenderContext context) {
        Value found = switch (target) {
            case Value.Undefined(String missing) ->
                throw new JinjaException("'" + missing + "' is undefined, so it has no attribute '" + name + "'");
            case Text text -> TextMethods.method(text, name, context);
            case Value.Dict dict -> {
                Value method = DictMethods.method(dict, name, context.budget());
                yield method == null ? dict.get(name) : method;
            }
            case Value.Sequence sequence -> SequenceMethods.method(sequence, name, context.budget());
            case Value.Namespace namespace -> namespace.attributes().get(name);
            case Loop loop -> loop.attribute(name);
            default -> null;
        };
        return found == null ? new Value.Undefined(name) : found;
    }

    /** {@code target[index]}: an entry first, then an attribute. */
    static Value subscript(Value target, Value index, RenderContext context) {
        switch (target) {
            case Value.Dict dict when isKey(index) -> {
                Value entry = dict.entries().get(index);
                if (entry != null) {
                    return entry;
                }
            }
            case Value.Sequence sequence when Values.isInteger(index) -> {
                int at = at(Values.asLong(index), sequence.items().size());
                return at < 0 ? new Value.Undefined("list index " + Values.asLong(index)) : sequence.items().get(at);
            }
            case Text text when Values.isInteger(index) -> {
                context.budget().copy(text.length());
                int at = at(Values.asLong(index), CodePointText.length(text));
                return at < 0 ? new Value.Undefined("string index " + Values.asLong(index)) : CodePointText.slice(text, at, at + 1);
            }
            case Value.Undefined undefined -> throw new JinjaException("'" + undefined.name() + "' is undefined, so it has no elements");
            default -> {
            }
        }
        return index instanceof Text name
                ? attribute(target, name.value(), context)
                : new Value.Undefined(Values.typeName(target) + " element");
    }

    private static int at(long index, int size) {
        long at = index < 0 ? index + size : index;
        return at >= 0 && at < size ? (int) at : -1;
    }

    static Value slice(Value target, @Nullable Long start, @Nullable Long stop, @Nullable Long step, Budget budget) {
        long stride = step == null ? 1 : step;
        if (stride == 0) {
            throw new JinjaException("slice step cannot be zero");
        }
        return switch (target) {
            case Text text -> {
                budget.copy(2L * text.length());
                Range range = Range.of(start, stop, stride, CodePointText.length(text));
                yield stride == 1 ? CodePointText.slice(text, range.from(), range.to()) : stepped(text, range, budget);
            }
            case Value.Sequence sequence -> {
                Range range = Range.of(start, stop, stride, sequence.items().size());
                yield new Value.Sequence(pick(sequence.items(), range, budget));
            }
            case Value.Undefined undefined -> throw new JinjaException("'" + undefined.name() + "' is undefined and cannot be sliced");
            default -> throw new JinjaException(Values.typeName(target) + " cannot be sliced");
        };
    }

    private static Text stepped(Text text, Range range, Budget budget) {
        TextBuilder builder = new TextBuilder();
        pick(Values.items(text, budget), range, budget).forEach(character -> builder.append((Text) character));
        return builder.build();
    }

    private static List<Value> pick(List<Value> items, Range range, Budget budget) {
        List<Value> picked = new ArrayList<>();
        for (long i = range.from(); range.step() > 0 ? i < range.to() : i > range.to(); i += range.step()) {
            budget.entries(1);
            picked.add(items.get((int) i));
        }

        return picked;
    }

    /** Bounds as Python clips them; {@code to} is exclusive and may be -1 when stepping down. */
    private record Range(int from, int to, long step) {

        static Range of(@Nullable Long start, @Nullable Long stop, long step, int size) {
            int lowest = step > 0 ? 0 : -1;
            int highest = step > 0 ? size : size - 1;
            int from = start == null ? step > 0 ? lowest : highest : clip(start, size, lowest, highest);
            int to = stop == null ? step > 0 ? highest : lowest : clip(stop, size, lowest, highest);
            return new Range(from, to, Math.clamp(step, Integer.MIN_VALUE, Integer.MAX_VALUE));
        }

        private static int clip(long bound, int size, int lowest, int highest) {
            return Math.clamp(bound < 0 ? bound + size : bound, lowest, highest);
        }
    }

    static Value requireKey(Value key) {
        if (!isKey(key)) {
            throw new JinjaException(Values.typeName(key) + " cannot be a dict key");
        }
        return key;
    }

    /** Whether a dict can have this key; others are not even looked up, since hashing them could take for ever. */
    static boolean isKey(Value value) {
        return value instanceof Text || value instanceof Value.Int || value instanceof Value.Real || value instanceof Value.Bool
                || value == Value.None.NONE;
    }
}

package dev.ringside.chat.jinja;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Operations on texts that string methods and filters share; all of them keep the origin of the characters. */
final class Strings {

    private Strings() {}

    static boolean isSpace(int codePoint) {
        return Character.isWhitespace(codePoint) || Character.isSpaceChar(codePoint) || codePoint == 0x85;
    }

    /** @param characters which to take away; null or none for white space */
    static Text strip(Text text, @Nullable Value characters, boolean left, boolean right) {
        String value = text.value();
        @Nullable String set = characters == null || characters == Value.None.NONE ? null : Values.requireText(characters, "chars").value();
        int from = 0;
        int to = value.length();
        while (left && from < to && isStripped(value.codePointAt(from), set)) {
            from += Character.charCount(value.codePointAt(from));
        }
        while (right && to > from && isStripped(value.codePointBefore(to), set)) {
            to -= Character.charCount(value.codePointBefore(to));
        }
        return text.slice(from, to);
    }

    private static boolean isStripped(int codePoint, @Nullable String set) {
        return set == null ? isSpace(codePoint) : set.indexOf(codePoint) >= 0;
    }

    static Value.Sequence split(Text text, @Nullable Value separator, int limit, Budget budget) {
        List<Value> parts = new ArrayList<>();
        if (separator == null || separator == Value.None.NONE) {
            splitAtSpace(text, limit, parts, budget);
            return new Value.Sequence(parts);
        }
        String delimiter = separator(separator);
        int start = 0;
        for (int at = text.value().indexOf(delimiter); at >= 0
                && (limit < 0 || parts.size() < limit); at = text.value().indexOf(delimiter, start)) {
            budget.pieces(1);
            parts.add(text.slice(start, at));
            start = at + delimiter.length();
        }
        parts.add(text.slice(start, text.length()));
        return new Value.Sequence(parts);
    }

    private static void splitAtSpace(Text text, int limit, List<Value> parts, Budget budget) {
        int start = skip(text, 0, true);
        while (start < text.length()) {
            if (limit >= 0 && parts.size() == limit) {
                parts.add(strip(text.slice(start, text.length()), null, false, true));
                return;
            }
            budget.pieces(1);
            int end = skip(text, start, false);
            parts.add(text.slice(start, end));
            start = skip(text, end, true);
        }
    }

    private static int skip(Text text, int from, boolean space) {
        int end = from;
        while (end < text.length() && isSpace(text.value().charAt(end)) == space) {
            end++;
        }
        return end;
    }

    static Value.Sequence splitFromRight(Text text, @Nullable Value separator, int limit, Budget budget) {
        if (limit < 0) {
            return split(text, separator, -1, budget);
        }
        if (separator == null || separator == Value.None.NONE) {
            throw new JinjaException("rsplit with a limit needs a separator");
        }
        String delimiter = separator(separator);
        List<Value> parts = new ArrayList<>();
        int end = text.length();
        while (parts.size() < limit) {
            int at = end < delimiter.length() ? -1 : text.value().lastIndexOf(delimiter, end - delimiter.length());
            if (at < 0) {
                break;
            }
            budget.pieces(1);
            parts.add(text.slice(at + delimiter.length(), end));
            end = at;
        }
        parts.add(text.slice(0, end));
        Collections.reverse(parts);
        return new Value.Sequence(parts);
    }

    private static String separator(Value separator) {
        String delimiter = Values.requireText(separator, "sep").value();
        if (delimiter.isEmpty()) {
            throw new JinjaException("empty separator");
        }
        return delimiter;
    }

    static Value.Sequence lines(Text text, boolean keepEnds, Budget budget) {
        List<Value> lines = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.value().charAt(i);
            if (c != '\n' && c != '\r') {
                continue;
            }
            int end = c == '\r' && i + 1 < text.length() && text.value().charAt(i + 1) == '\n' ? i + 2 : i + 1;
            budget.pieces(1);
            lines.add(text.slice(start, keepEnds ? end : i));
            start = end;
            i = end - 1;
        }
        if (start < text.length()) {
            lines.add(text.slice(start, text.length()));
        }
        return new Value.Sequence(lines);
    }

    static Value.Sequence partition(Text text, Text separator, boolean last) {
        String delimiter = separator(separator);
        int at = last ? text.value().lastIndexOf(delimiter) : text.value().indexOf(delimiter);
        if (at < 0) {
            return last ? Values.tuple(Text.EMPTY, Text.EMPTY, text) : Values.tuple(text, Text.EMPTY, Text.EMPTY);
        }
        return Values.tuple(text.slice(0, at), text.slice(at, at + delimiter.length()), text.slice(at + delimiter.length(), text.length()));
    }

    static Text replace(Text text, Text old, Text replacement, int limit, Budget budget) {
        TextBuilder builder = new TextBuilder();
        String value = text.value();
        int start = 0;
        int search = 0;
        for (int done = 0; limit < 0 || done < limit; done++) {
            int at = search > value.length() ? -1 : value.indexOf(old.value(), search);
            if (at < 0) {
                break;
            }
            budget.grow(builder.length(), at - start + (long) replacement.length());
            builder.append(text, start, at).append(replacement);
            start = at + old.length();
            search = old.isEmpty() ? at + 1 : start;
        }
        return start == 0 && builder.length() == 0 ? text : builder.append(text, start, value.length()).build();
    }

    static int count(Text text, Text part) {
        if (part.isEmpty()) {
            return CodePointText.length(text) + 1;
        }
        int count = 0;
        for (int at = text.value().indexOf(part.value()); at >= 0; at = text.value().indexOf(part.value(), at + part.length())) {
            count++;
        }
        return count;
    }

    /** @param print whether items that are not strings are printed; else they are an error */
    static Text join(List<Value> items, Text separator, boolean print, Budget budget) {
        TextBuilder builder = new TextBuilder();
        boolean first = true;
        for (Value item : items) {
            Text text = print ? Printer.text(item, budget) : Values.requireText(item, "join");
            budget.grow(builder.length(), text.length() + (long) separator.length());
            if (!first) {
                builder.append(separator);
            }
            builder.append(text);
            first = false;
        }
        return builder.build();
    }

    static Text capitalize(Text text) {
        if (text.isEmpty()) {
            return text;
        }
        int first = text.value().offsetByCodePoints(0, 1);
        return text
                .derive(text.value().substring(0, first).toUpperCase(Locale.ROOT) + text.value().substring(first).toLowerCase(Locale.ROOT));
    }

    /** Python's: every letter after something that is no letter. */
    static Text title(Text text) {
        StringBuilder titled = new StringBuilder(text.length());
        int previous = ' ';
        for (int codePoint : text.value().codePoints().toArray()) {
            titled.appendCodePoint(Character.isLetter(previous) ? Character.toLowerCase(codePoint) : Character.toTitleCase(codePoint));
            previous = codePoint;
        }
        return text.derive(titled.toString());
    }

    static Text swapCase(Text text) {
        StringBuilder swapped = new StringBuilder(text.length());
        text.value().codePoints()
                .forEach(c -> swapped.appendCodePoint(Character.isUpperCase(c) ? Character.toLowerCase(c) : Character.toUpperCase(c)));
        return text.derive(swapped.toString());
    }

    static boolean isCased(Text text, boolean upper) {
        boolean wrong = text.value().codePoints().anyMatch(c -> upper ? Character.isLowerCase(c) : Character.isUpperCase(c));
        return !wrong && text.value().codePoints().anyMatch(c -> upper ? Character.isUpperCase(c) : Character.isLowerCase(c));
    }

    static Text zeroFill(Text text, int width, Budget budget) {
        boolean signed = text.value().startsWith("-") || text.value().startsWith("+");
        int missing = width - CodePointText.length(text);
        if (missing <= 0) {
            return text;
        }
        budget.text(width);
        int sign = signed ? 1 : 0;
        return new TextBuilder().append(text, 0, sign).appendTemplate("0".repeat(missing)).append(text, sign, text.length()).build();
    }

    /** @param left how many halves of the missing width go to the left */
    static Text pad(Text text, int width, int left, Text fill, Budget budget) {
        int missing = width - CodePointText.length(text);
        if (missing <= 0) {
            return text;
        }
        budget.text(width * (long) Math.max(1, fill.length()));
        int before = missing * left / 2;
        TextBuilder builder = new TextBuilder();
        for (int i = 0; i < before; i++) {
            builder.append(fill);
        }
        builder.append(text);
        for (int i = before; i < missing; i++) {
            builder.append(fill);
        }
        return builder.build();
    }
}

package dev.ringside.chat.jinja;

import java.util.List;
import java.util.Locale;

/** {@code '%s' % x} and {@code '{}'.format(x)}, with the conversions that templates use. */
final class Formatting {

    private Formatting() {}

    /** Conversions {@code %s %r %d %i %f %%}, {@code %f} also with a precision. */
    static Text percent(Text format, List<Value> arguments, Budget budget) {
        TextBuilder builder = new TextBuilder();
        String pattern = format.value();
        int next = 0;
        int start = 0;
        for (int at = pattern.indexOf('%'); at >= 0; at = pattern.indexOf('%', start)) {
            builder.append(format, start, at);
            int end = at + 1;
            while (end < pattern.length() && ".0123456789".indexOf(pattern.charAt(end)) >= 0) {
                end++;
            }
            char conversion = end < pattern.length() ? pattern.charAt(end) : ' ';
            if (conversion == '%') {
                builder.appendTemplate("%");
            } else {
                if (next == arguments.size()) {
                    throw new JinjaException("not enough arguments for format '" + pattern + "'");
                }
                append(arguments.get(next++), conversion, pattern.substring(at + 1, end), builder, budget);
            }
            start = end + 1;
        }
        if (next < arguments.size()) {
            throw new JinjaException("not all arguments converted in format '" + pattern + "'");
        }
        return builder.append(format, start, pattern.length()).build();
    }

    private static void append(Value value, char conversion, String options, TextBuilder builder, Budget budget) {
        switch (conversion) {
            case 's' -> appendText(Printer.text(value, budget), builder, budget);
            case 'r' -> appendText(Printer.text(value instanceof Text ? Values.list(value) : value, budget), builder, budget);
            case 'd', 'i' -> builder.appendTemplate(Long.toString((long) Values.asDouble(value)));
            case 'f' -> builder.appendTemplate(String.format(Locale.ROOT, "%." + precision(options) + "f", Values.asDouble(value)));
            default -> throw new JinjaException("unsupported format conversion '%" + options + conversion + "'");
        }
    }

    private static int precision(String options) {
        int dot = options.indexOf('.');
        return dot < 0 || dot + 1 == options.length()
                ? 6
                : Math.min(30, Integer.parseInt(options.substring(dot + 1, Math.min(options.length(), dot + 3))));
    }

    private static void appendText(Text text, TextBuilder builder, Budget budget) {
        budget.grow(builder.length(), text.length());
        builder.append(text);
    }

    /** Fields {@code {}}, {@code {0}} and {@code {name}}; format specifications are not supported. */
    static Text braces(Text format, CallArguments arguments, Budget budget) {
        TextBuilder builder = new TextBuilder();
        String pattern = format.value();
        int next = 0;
        for (int i = 0; i < pattern.length();) {
            char c = pattern.charAt(i);
            boolean doubled = i + 1 < pattern.length() && pattern.charAt(i + 1) == c;
            if (c != '{' && c != '}') {
                int end = i;
                while (end < pattern.length() && pattern.charAt(end) != '{' && pattern.charAt(end) != '}') {
                    end++;
                }
                builder.append(format, i, end);
                i = end;
            } else if (doubled) {
                builder.append(format, i, i + 1);
                i += 2;
            } else {
                int end = pattern.indexOf('}', i);
                if (c == '}' || end < 0) {
                    throw new JinjaException("single '" + c + "' in format '" + pattern + "'");
                }
                String field = pattern.substring(i + 1, end);
                appendText(Printer.text(field(field.isEmpty() ? Integer.toString(next++) : field, arguments), budget), builder, budget);
                i = end + 1;
            }
        }
        return builder.build();
    }

    private static Value field(String field, CallArguments arguments) {
        if (field.chars().allMatch(c -> c >= '0' && c <= '9') && field.length() < 9) {
            return arguments.require(Integer.parseInt(field), field);
        }
        return arguments.require(Integer.MAX_VALUE, field);
    }
}

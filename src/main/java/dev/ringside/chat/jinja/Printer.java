package dev.ringside.chat.jinja;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;

/** How values look as text: as Python's {@code str} and {@code repr} have them. */
final class Printer {

    private Printer() {}

    /** What an output tag or the {@code string} filter makes of a value. */
    static Text text(Value value, Budget budget) {
        if (value instanceof Text text) {
            return text;
        }
        if (value instanceof Value.Sequence || value instanceof Value.Dict) {
            TextBuilder builder = new TextBuilder();
            represent(value, builder, budget);
            return builder.build();
        }
        return Text.template(scalar(value));
    }

    private static String scalar(Value value) {
        return switch (value) {
            case Value.Undefined ignored -> "";
            case Value.None ignored -> "None";
            case Value.Bool bool -> bool.value() ? "True" : "False";
            case Value.Int integer -> Long.toString(integer.value());
            case Value.Real real -> real(real.value());
            case Value.Namespace ignored -> "<Namespace>";
            case Value.Function function -> "<function " + function.name() + ">";
            case Loop ignored -> "<LoopContext>";
            case Text text -> text.value();
            case Value.Sequence ignored -> "[...]";
            case Value.Dict ignored -> "{...}";
        };
    }

    private static void represent(Value value, TextBuilder builder, Budget budget) {
        budget.enter();
        switch (value) {
            case Text text -> {
                budget.grow(builder.length(), text.length());
                quote(text, builder);
            }
            case Value.Sequence sequence -> {
                int size = sequence.items().size();
                String separator = sequence.tuple() ? "(" : "[";
                for (Value item : sequence.items()) {
                    builder.appendTemplate(separator);
                    represent(item, builder, budget);
                    separator = ", ";
                }
                String open = size == 0 ? separator : "";
                builder.appendTemplate(open + (!sequence.tuple() ? "]" : size == 1 ? ",)" : ")"));
            }
            case Value.Dict dict -> {
                String separator = "{";
                for (Map.Entry<Value, Value> entry : dict.entries().entrySet()) {
                    builder.appendTemplate(separator);
                    represent(entry.getKey(), builder, budget);
                    builder.appendTemplate(": ");
                    represent(entry.getValue(), builder, budget);
                    separator = ", ";
                }
                builder.appendTemplate(dict.entries().isEmpty() ? "{}" : "}");
            }
            case Value.Undefined ignored -> builder.appendTemplate("Undefined");
            default -> builder.appendTemplate(scalar(value));
        }
        budget.leave();
    }

    private static void quote(Text text, TextBuilder builder) {
        String value = text.value();
        char quote = value.indexOf('\'') >= 0 && value.indexOf('"') < 0 ? '"' : '\'';
        StringBuilder quoted = new StringBuilder(value.length() + 2).append(quote);
        value.codePoints().forEach(c -> {
            switch (c) {
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                case '\\' -> quoted.append("\\\\");
                default -> {
                    if (c == quote) {
                        quoted.append('\\').append(quote);
                    } else if (c < 0x20 || c >= 0x7F && c < 0xA1 || c == 0xAD) {
                        quoted.append(String.format(Locale.ROOT, "\\x%02x", c));
                    } else {
                        quoted.appendCodePoint(c);
                    }
                }
            }
        });
        builder.append(text.derive(quoted.append(quote).toString()));
    }

    /** The shortest digits that read back equal, with an exponent below 1e-4 and from 1e16 on. */
    static String real(double value) {
        if (Double.isNaN(value)) {
            return "nan";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "inf" : "-inf";
        }
        if (value == 0) {
            return 1 / value < 0 ? "-0.0" : "0.0";
        }
        BigDecimal decimal = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        int exponent = decimal.precision() - decimal.scale() - 1;
        if (exponent >= -4 && exponent < 16) {
            String plain = decimal.toPlainString();
            return plain.indexOf('.') < 0 ? plain + ".0" : plain;
        }
        String digits = decimal.unscaledValue().abs().toString();
        String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        return (value < 0 ? "-" : "") + mantissa + "e" + (exponent < 0 ? "-" : "+") + (Math.abs(exponent) < 10 ? "0" : "")
                + Math.abs(exponent);
    }
}

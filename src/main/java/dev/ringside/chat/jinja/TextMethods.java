package dev.ringside.chat.jinja;

import dev.ringside.chat.jinja.Value.Function;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Python's string methods. */
final class TextMethods {

    private TextMethods() {}

    static @Nullable Value method(Text text, String name, RenderContext context) {
        Budget budget = context.budget();
        Function.Body body = switch (name) {
            case "strip" -> arguments -> Strings.strip(text, arguments.get(0, "chars"), true, true);
            case "lstrip" -> arguments -> Strings.strip(text, arguments.get(0, "chars"), true, false);
            case "rstrip" -> arguments -> Strings.strip(text, arguments.get(0, "chars"), false, true);
            case "split" -> arguments -> Strings.split(text, arguments.get(0, "sep"), arguments.integer(1, "maxsplit", -1), budget);
            case "rsplit" ->
                arguments -> Strings.splitFromRight(text, arguments.get(0, "sep"), arguments.integer(1, "maxsplit", -1), budget);
            case "splitlines" -> arguments -> Strings.lines(text, arguments.flag(0, "keepends", false), budget);
            case "partition" -> arguments -> Strings.partition(text, arguments.text(0, "sep"), false);
            case "rpartition" -> arguments -> Strings.partition(text, arguments.text(0, "sep"), true);
            case "startswith" -> arguments -> affix(text, arguments.require(0, "prefix"), true);
            case "endswith" -> arguments -> affix(text, arguments.require(0, "suffix"), false);
            case "removeprefix" -> arguments -> {
                String prefix = arguments.text(0, "prefix").value();
                return text.value().startsWith(prefix) ? text.slice(prefix.length(), text.length()) : text;
            };
            case "removesuffix" -> arguments -> {
                String suffix = arguments.text(0, "suffix").value();
                return text.value().endsWith(suffix) ? text.slice(0, text.length() - suffix.length()) : text;
            };
            case "replace" -> arguments -> Strings.replace(text, arguments.text(0, "old"), arguments.text(1, "new"),
                    arguments.integer(2, "count", -1), budget);
            case "find" ->
                arguments -> Values.integer(CodePointText.position(text, text.value().indexOf(arguments.text(0, "sub").value())));
            case "rfind" ->
                arguments -> Values.integer(CodePointText.position(text, text.value().lastIndexOf(arguments.text(0, "sub").value())));
            case "index" -> arguments -> index(text, arguments.text(0, "sub"));
            case "count" -> arguments -> Values.integer(Strings.count(text, arguments.text(0, "sub")));
            case "join" -> arguments -> Strings.join(Values.items(arguments.require(0, "iterable"), budget), text, false, budget);
            case "format" -> arguments -> Formatting.braces(text, arguments, budget);
            case "upper" -> arguments -> text.derive(text.value().toUpperCase(Locale.ROOT));
            case "lower", "casefold" -> arguments -> text.derive(text.value().toLowerCase(Locale.ROOT));
            case "capitalize" -> arguments -> Strings.capitalize(text);
            case "title" -> arguments -> Strings.title(text);
            case "swapcase" -> arguments -> Strings.swapCase(text);
            case "zfill" -> arguments -> Strings.zeroFill(text, arguments.integer(0, "width", 0), budget);
            case "ljust" -> arguments -> Strings.pad(text, arguments.integer(0, "width", 0), 0, arguments.text(1, "fillchar", " "), budget);
            case "rjust" -> arguments -> Strings.pad(text, arguments.integer(0, "width", 0), 2, arguments.text(1, "fillchar", " "), budget);
            case "center" ->
                arguments -> Strings.pad(text, arguments.integer(0, "width", 0), 1, arguments.text(1, "fillchar", " "), budget);
            case "isdigit", "isdecimal", "isnumeric" -> arguments -> all(text, Character::isDigit);
            case "isalpha" -> arguments -> all(text, Character::isLetter);
            case "isalnum" -> arguments -> all(text, Character::isLetterOrDigit);
            case "isspace" -> arguments -> all(text, Strings::isSpace);
            case "isupper" -> arguments -> Value.Bool.of(Strings.isCased(text, true));
            case "islower" -> arguments -> Value.Bool.of(Strings.isCased(text, false));
            default -> null;
        };
        if (body == null) {
            return null;
        }
        return new Function("str." + name, arguments -> {
            budget.copy(text.length());
            return body.call(arguments);
        });
    }

    private static Value affix(Text text, Value affix, boolean prefix) {
        List<Value> choices = affix instanceof Value.Sequence sequence ? sequence.items() : List.of(affix);
        for (Value choice : new ArrayList<>(choices)) {
            String candidate = Values.requireText(choice, prefix ? "prefix" : "suffix").value();
            if (prefix ? text.value().startsWith(candidate) : text.value().endsWith(candidate)) {
                return Value.Bool.TRUE;
            }
        }
        return Value.Bool.FALSE;
    }

    private static Value index(Text text, Text part) {
        int index = text.value().indexOf(part.value());
        if (index < 0) {
            throw new JinjaException("substring '" + part.value() + "' not found");
        }
        return Values.integer(CodePointText.position(text, index));
    }

    private static Value all(Text text, java.util.function.IntPredicate predicate) {
        return Value.Bool.of(!text.isEmpty() && text.value().codePoints().allMatch(predicate));
    }
}

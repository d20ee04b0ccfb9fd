package dev.ringside.sampling.grammar;

import java.util.ArrayList;
import java.util.List;

/**
 * The part of ECMA-262 regular expressions that is regular: characters, classes, groups, alternatives, quantifiers, and anchors at the ends of a
 * whole alternative. What it does not know is refused by name.
 */
final class RegexParser {

    static final int MAX_GROUP_DEPTH = 100;
    static final int MAX_COUNT = 10_000;

    /** An expression with the number of code points that it takes at least and at most. */
    record Part(Expr expr, long min, long max) {

        static final Part EMPTY = new Part(Expr.EMPTY, 0, 0);

        static Part then(List<Part> parts) {
            return new Part(new Expr.Sequence(parts.stream().map(Part::expr).toList()), parts.stream().mapToLong(Part::min).sum(),
                    Math.min(Expr.UNBOUNDED, parts.stream().mapToLong(Part::max).sum()));
        }

        static Part either(List<Part> parts) {
            return parts.size() == 1
                    ? parts.getFirst()
                    : new Part(new Expr.Choice(parts.stream().map(Part::expr).toList()),
                            parts.stream().mapToLong(Part::min).min().orElse(0),
                            parts.stream().mapToLong(Part::max).max().orElse(0));
        }

        Part times(int least, int most) {
            return new Part(new Expr.Repeat(expr, least, most), Math.min(Expr.UNBOUNDED, min * least),
                    max == 0 ? 0 : most == Expr.UNBOUNDED ? most : Math.min(Expr.UNBOUNDED, max * most));
        }
    }

    private final RegexScanner in;
    private final boolean quoted;
    private final boolean search;
    private int depth;

    private RegexParser(String pattern, boolean quoted, boolean search) {
        in = new RegexScanner(pattern);
        this.quoted = quoted;
        this.search = search;
    }

    /** Plain text that fits a pattern as a whole. */
    static Expr wholeText(String pattern) {
        return new RegexParser(pattern, false, false).parse().expr();
    }

    /** The characters of a JSON string in which a pattern occurs: unless anchored, anything may stand in front of it and behind it. */
    static Part inString(String pattern) {
        return new RegexParser(pattern, true, true).parse();
    }

    private Part parse() {
        Part part = alternatives(true);
        if (!in.atEnd()) {
            throw in.error("there is no group that this ) ends");
        }
        return part;
    }

    private Part alternatives(boolean outermost) {
        List<Part> parts = new ArrayList<>();
        do {
            parts.add(outermost ? anchored() : sequence());
        } while (in.take('|'));
        return Part.either(parts);
    }

    private Part anchored() {
        boolean start = in.take('^');
        Part middle = sequence();
        boolean end = in.take('$');
        if (end && !in.atEnd() && in.peek() != '|' && in.peek() != ')') {
            throw in.error("$ is supported at the end of the pattern or of an outermost alternative only");
        }
        if (!search || start && end) {
            return middle;
        }
        Part anything = chars(CodePoints.ALL).times(0, Expr.UNBOUNDED);
        return Part.then(List.of(start ? Part.EMPTY : anything, middle, end ? Part.EMPTY : anything));
    }

    private Part sequence() {
        List<Part> parts = new ArrayList<>();
        while (!in.atEnd() && in.peek() != '|' && in.peek() != ')' && in.peek() != '$') {
            parts.add(quantified(atom()));
        }
        if (!in.atEnd() && in.peek() == '$' && depth > 0) {
            throw in.error("$ is supported at the end of the pattern or of an outermost alternative only");
        }
        return parts.size() == 1 ? parts.getFirst() : Part.then(parts);
    }

    private Part atom() {
        int c = in.next();
        return switch (c) {
            case '(' -> group();
            case '[' -> chars(RegexClass.parse(in));
            case '.' -> chars(RegexClass.DOT);
            case '\\' -> chars(RegexClass.escape(in, false));
            case '^' -> throw in.error("^ is supported at the beginning of the pattern or of an outermost alternative only");
            case '*', '+', '?', '{' ->
                throw in.error("there is nothing to repeat; write \\" + Character.toString(c) + " for the character");
            case '}', ']' -> throw in.error("write \\" + Character.toString(c) + " for the character");
            default -> {
                in.refuseSurrogate(c);
                yield chars(CodePoints.of(c));
            }
        };
    }

    private Part group() {
        if (++depth > MAX_GROUP_DEPTH) {
            throw in.error("groups are nested more than " + MAX_GROUP_DEPTH + " deep");
        }
        if (in.take('?')) {
            if (!in.take(':')) {
                skipGroupName();
            }
        }
        Part part = alternatives(false);
        if (!in.take(')')) {
            throw in.error("a group is not closed");
        }
        depth--;
        return part;
    }

    private void skipGroupName() {
        if (!in.take('<')) {
            throw in.error("look-ahead and group modifiers are not supported");
        }
        if (in.atEnd() || in.peek() == '=' || in.peek() == '!') {
            throw in.error("look-behind is not supported");
        }
        while (!in.take('>')) {
            if (in.atEnd()) {
                throw in.error("the name of a group is not closed");
            }
            in.next();
        }
    }

    private Part quantified(Part part) {
        if (in.atEnd()) {
            return part;
        }
        int min;
        int max;
        if (in.take('*')) {
            min = 0;
            max = Expr.UNBOUNDED;
        } else if (in.take('+')) {
            min = 1;
            max = Expr.UNBOUNDED;
        } else if (in.take('?')) {
            min = 0;
            max = 1;
        } else if (in.take('{')) {
            min = in.number(MAX_COUNT);
            max = !in.take(',') ? min : !in.atEnd() && in.peek() == '}' ? Expr.UNBOUNDED : in.number(MAX_COUNT);
            if (!in.take('}') || max < min) {
                throw in.error("a repetition must read {n}, {n,} or {n,m} with n <= m");
            }
        } else {
            return part;
        }
        // A lazy quantifier matches the same texts.
        in.take('?');
        if (!in.atEnd() && (in.peek() == '*' || in.peek() == '+' || in.peek() == '?' || in.peek() == '{')) {
            throw in.error("a repetition can't be repeated without a group");
        }
        return part.times(min, max);
    }

    private Part chars(CodePoints set) {
        return new Part(new Expr.Chars(set, quoted), 1, 1);
    }
}

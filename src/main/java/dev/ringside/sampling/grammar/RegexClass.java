package dev.ringside.sampling.grammar;

/** Character classes and escapes of regular expressions. */
final class RegexClass {

    static final CodePoints DOT = CodePoints.of('\n', '\r', 0x2028, 0x2029).complement();

    private static final CodePoints DIGITS = CodePoints.ranges('0', '9');
    private static final CodePoints WORD = CodePoints.ranges('0', '9', 'A', 'Z', '_', '_', 'a', 'z');
    private static final CodePoints SPACE = CodePoints.ranges('\t', '\r', ' ', ' ', 0xA0, 0xA0, 0x1680, 0x1680, 0x2000, 0x200A, 0x2028,
            0x2029, 0x202F,
            0x202F, 0x205F, 0x205F, 0x3000, 0x3000, 0xFEFF, 0xFEFF);

    private RegexClass() {}

    /** What follows a {@code [}. */
    static CodePoints parse(RegexScanner in) {
        boolean negated = in.take('^');
        CodePoints set = CodePoints.of();
        while (!in.take(']')) {
            CodePoints first = member(in);
            if (!in.atEnd() && in.peek() == '-') {
                in.next();
                if (in.atEnd() || in.peek() == ']') {
                    set = set.union(first).union(CodePoints.of('-'));
                    continue;
                }
                CodePoints last = member(in);
                int low = single(first, in);
                int high = single(last, in);
                if (low > high) {
                    throw in.error("the range of a class is upside down");
                }
                first = CodePoints.ranges(low, high);
            }
            set = set.union(first);
        }
        return negated ? set.complement() : set;
    }

    private static int single(CodePoints set, RegexScanner in) {
        if (set.rangeCount() != 1 || set.low(0) != set.high(0)) {
            throw in.error("a range needs single characters at its ends; write \\- for the character");
        }
        return set.low(0);
    }

    private static CodePoints member(RegexScanner in) {
        int c = in.next();
        if (c == '\\') {
            return escape(in, true);
        }
        in.refuseSurrogate(c);
        return CodePoints.of(c);
    }

    /** What follows a {@code \}. */
    static CodePoints escape(RegexScanner in, boolean inClass) {
        int c = in.next();
        return switch (c) {
            case 'd' -> DIGITS;
            case 'D' -> DIGITS.complement();
            case 'w' -> WORD;
            case 'W' -> WORD.complement();
            case 's' -> SPACE;
            case 'S' -> SPACE.complement();
            case 't' -> CodePoints.of('\t');
            case 'n' -> CodePoints.of('\n');
            case 'r' -> CodePoints.of('\r');
            case 'f' -> CodePoints.of('\f');
            case 'v' -> CodePoints.of(0x0B);
            case '0' -> CodePoints.of(0);
            case 'x' -> CodePoints.of(in.hex(2));
            case 'u' -> CodePoints.of(unicode(in));
            case 'b', 'B' -> {
                if (inClass && c == 'b') {
                    yield CodePoints.of('\b');
                }
                throw in.error("word boundaries are not supported");
            }
            default -> {
                if (c >= '1' && c <= '9' || c == 'k') {
                    throw in.error("back references are not supported");
                }
                if (c >= 0x80 || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z') {
                    throw in.error("the escape \\" + Character.toString(c) + " is not supported");
                }
                yield CodePoints.of(c);
            }
        };
    }

    private static int unicode(RegexScanner in) {
        if (in.take('{')) {
            int value = 0;
            do {
                value = value * 16 + in.hex(1);
                if (value > Character.MAX_CODE_POINT) {
                    throw in.error("\\u{...} is above 10FFFF");
                }
            } while (!in.take('}'));
            in.refuseSurrogate(value);
            return value;
        }
        int unit = in.hex(4);
        if (unit >= Character.MIN_HIGH_SURROGATE && unit <= Character.MAX_HIGH_SURROGATE && in.take('\\') && in.take('u')) {
            int low = in.hex(4);
            if (low >= Character.MIN_LOW_SURROGATE && low <= Character.MAX_LOW_SURROGATE) {
                return Character.toCodePoint((char) unit, (char) low);
            }
        }
        in.refuseSurrogate(unit);
        return unit;
    }
}

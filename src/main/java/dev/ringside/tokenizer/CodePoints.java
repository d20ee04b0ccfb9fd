package dev.ringside.tokenizer;

/** The character classes that the pre-tokenisers tell apart. */
final class CodePoints {

    static final byte OTHER = 0;
    static final byte LETTER = 1;
    static final byte MARK = 2;
    static final byte NUMBER = 3;
    static final byte SPACE = 4;
    static final byte NEWLINE = 5;

    private static final byte[] ASCII = asciiClasses();

    private CodePoints() {}

    static byte classOf(int codePoint) {
        return codePoint < ASCII.length ? ASCII[codePoint] : classify(codePoint);
    }

    private static byte[] asciiClasses() {
        byte[] classes = new byte[128];
        for (int c = 0; c < classes.length; c++) {
            classes[c] = classify(c);
        }
        return classes;
    }

    private static byte classify(int codePoint) {
        if (codePoint == '\n' || codePoint == '\r') {
            return NEWLINE;
        }
        if (isWhiteSpace(codePoint)) {
            return SPACE;
        }
        return switch (Character.getType(codePoint)) {
            case Character.UPPERCASE_LETTER, Character.LOWERCASE_LETTER, Character.TITLECASE_LETTER, Character.MODIFIER_LETTER,
                    Character.OTHER_LETTER ->
                LETTER;
            case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.COMBINING_SPACING_MARK -> MARK;
            case Character.DECIMAL_DIGIT_NUMBER, Character.LETTER_NUMBER, Character.OTHER_NUMBER -> NUMBER;
            default -> OTHER;
        };
    }

    /** The Unicode property White_Space. {@link Character#isWhitespace} differs: it leaves out U+0085 and the no-break spaces. */
    private static boolean isWhiteSpace(int codePoint) {
        return codePoint >= 0x09 && codePoint <= 0x0D || codePoint == 0x20 || codePoint == 0x85 || codePoint == 0xA0 || codePoint == 0x1680
                || codePoint >= 0x2000 && codePoint <= 0x200A || codePoint == 0x2028 || codePoint == 0x2029 || codePoint == 0x202F
                || codePoint == 0x205F || codePoint == 0x3000;
    }
}

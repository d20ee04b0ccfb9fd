package dev.ringside.chat.jinja;

/** Positions in texts as Python counts them: in code points. */
final class CodePointText {

    private CodePointText() {}

    static int length(Text text) {
        return text.value().codePointCount(0, text.length());
    }

    /** UTF-16 index of a code point, from 0 to the length. */
    static int index(Text text, int codePoint) {
        return text.value().offsetByCodePoints(0, codePoint);
    }

    /** Number of code points before a UTF-16 index; -1 stays -1. */
    static int position(Text text, int index) {
        return index < 0 ? -1 : text.value().codePointCount(0, index);
    }

    static Text slice(Text text, int from, int to) {
        if (from >= to) {
            return Text.EMPTY;
        }
        int start = index(text, from);
        return text.slice(start, text.value().offsetByCodePoints(start, to - from));
    }
}

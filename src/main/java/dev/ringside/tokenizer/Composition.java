package dev.ringside.tokenizer;

import java.text.Normalizer;

/**
 * Canonical composition (NFC) in linear time. The JDK sorts a run of combining marks by insertion, which a long run of alternating marks
 * turns into quadratic work, so runs are composed in pieces of {@value #MAX_MARKS} marks: more than any script stacks on one letter.
 */
final class Composition {

    static final int MAX_MARKS = 256;

    /** No character below this one changes under NFC or composes with what stands before it. */
    private static final char FIRST_AFFECTED = 0x300;

    private Composition() {}

    static String compose(String text) {
        int first = 0;
        while (first < text.length() && text.charAt(first) < FIRST_AFFECTED) {
            first++;
        }
        if (first == text.length()) {
            return text;
        }
        StringBuilder composed = null;
        int from = 0;
        int marks = 0;
        for (int i = first; i < text.length();) {
            int codePoint = text.codePointAt(i);
            i += Character.charCount(codePoint);
            marks = isMark(codePoint) ? marks + 1 : 0;
            if (marks == MAX_MARKS) {
                composed = composed == null ? new StringBuilder(text.length()) : composed;
                composed.append(normalize(text.substring(from, i)));
                from = i;
                marks = 0;
            }
        }
        return composed == null ? normalize(text) : composed.append(normalize(text.substring(from))).toString();
    }

    private static String normalize(String piece) {
        return Normalizer.normalize(piece, Normalizer.Form.NFC);
    }

    private static boolean isMark(int codePoint) {
        return codePoint >= FIRST_AFFECTED && CodePoints.classOf(codePoint) == CodePoints.MARK;
    }
}

package dev.ringside.chat.jinja;

import java.util.Arrays;

/** Joins texts and keeps the origin of every character. */
final class TextBuilder {

    private final StringBuilder characters = new StringBuilder();
    private int[] flips = new int[8];
    private int flipCount;
    private boolean content;

    TextBuilder append(Text text) {
        return append(text, 0, text.length());
    }

    TextBuilder append(Text text, int from, int to) {
        int[] marks = text.flips();
        int start = from;
        int found = Arrays.binarySearch(marks, from);
        int passed = found >= 0 ? found + 1 : -found - 1;
        boolean origin = passed % 2 == 1;
        for (int i = passed; i <= marks.length && start < to; i++) {
            int end = i < marks.length ? Math.min(marks[i], to) : to;
            if (end > start) {
                append(text.value(), start, end, origin);
                start = end;
            }
            origin = !origin;
        }
        return this;
    }

    /** Appends characters that the template or the interpreter wrote. */
    TextBuilder appendTemplate(String text) {
        append(text, 0, text.length(), false);
        return this;
    }

    private void append(String text, int from, int to, boolean fromContent) {
        if (from == to) {
            return;
        }
        if (fromContent != content) {
            if (flipCount == flips.length) {
                flips = Arrays.copyOf(flips, flipCount * 2);
            }
            flips[flipCount++] = characters.length();
            content = fromContent;
        }
        characters.append(text, from, to);
    }

    int length() {
        return characters.length();
    }

    Text build() {
        return new Text(characters.toString(), Arrays.copyOf(flips, flipCount));
    }
}

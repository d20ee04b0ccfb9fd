package dev.ringside.download;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Name of one file of a split model, {@code name-00001-of-00003.gguf}.
 *
 * @param base what stands in front of the numbers
 * @param count files of the model
 */
record SplitName(String base, int count) {

    private static final String END = ".gguf";
    private static final String MIDDLE = "-of-";
    private static final int DIGITS = 5;

    /** Null when the name is that of a whole file. */
    static @Nullable SplitName parse(String name) {
        int middle = name.length() - END.length() - DIGITS - MIDDLE.length();
        int first = middle - DIGITS - 1;
        if (first < 1 || !name.endsWith(END) || !name.startsWith(MIDDLE, middle) || name.charAt(first) != '-') {
            return null;
        }
        int number = number(name, first + 1);
        int count = number(name, middle + MIDDLE.length());
        return number < 1 || number > count ? null : new SplitName(name.substring(0, first), count);
    }

    private static int number(String name, int from) {
        int value = 0;
        for (int i = from; i < from + DIGITS; i++) {
            char c = name.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            value = value * 10 + c - '0';
        }
        return value;
    }

    /** Names of all files, the first in front. */
    List<String> all() {
        List<String> names = new ArrayList<>(count);
        for (int i = 1; i <= count; i++) {
            names.add(String.format(Locale.ROOT, "%s-%05d%s%05d%s", base, i, MIDDLE, count, END));
        }
        return names;
    }
}

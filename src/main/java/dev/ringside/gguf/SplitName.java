package dev.ringside.gguf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The name of a part of a split file, {@code <prefix>-00002-of-00003.gguf}.
 *
 * @param path the path it was read from
 * @param prefix the name before the numbers
 * @param number 1-based number of the part
 * @param count number of parts
 */
record SplitName(Path path, String prefix, int number, int count) {

    private static final int DIGITS = 5;
    private static final String OF = "-of-";
    private static final String SUFFIX = ".gguf";

    /** The parts of the name, or null when it does not follow the pattern. */
    static @Nullable SplitName parse(Path path) {
        Path fileName = path.getFileName();
        String name = fileName == null ? "" : fileName.toString();
        int countAt = name.length() - SUFFIX.length() - DIGITS;
        int numberAt = countAt - OF.length() - DIGITS;
        if (numberAt < 1 || !name.endsWith(SUFFIX) || !name.startsWith(OF, countAt - OF.length()) || name.charAt(numberAt - 1) != '-') {
            return null;
        }
        int number = digits(name, numberAt);
        int count = digits(name, countAt);
        return number < 1 || count < 1 || number > count ? null : new SplitName(path, name.substring(0, numberAt - 1), number, count);
    }

    /** The paths of all parts in order, whether they exist or not. */
    List<Path> siblings() {
        List<Path> paths = new ArrayList<>(count);
        for (int i = 1; i <= count; i++) {
            paths.add(i == number ? path : path.resolveSibling(prefix + "-" + padded(i) + OF + padded(count) + SUFFIX));
        }
        return paths;
    }

    private static int digits(String name, int at) {
        int value = 0;
        for (int i = at; i < at + DIGITS; i++) {
            char c = name.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            value = 10 * value + (c - '0');
        }
        return value;
    }

    private static String padded(int number) {
        String digits = Integer.toString(number);
        return "0".repeat(DIGITS - digits.length()) + digits;
    }
}

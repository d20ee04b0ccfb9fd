package dev.ringside.expert;

import java.util.Locale;

/** Whether expert reads go past the page cache, as {@code ringside.experts.direct-reads} names it. */
public enum DirectReads {
    /** Direct where the file system takes it and the page cache could not hold the experts anyway. */
    AUTO,
    /** Direct on every file that takes it. */
    TRUE,
    /** Through the page cache. */
    FALSE;

    /**
     * Reads the value of {@code ringside.experts.direct-reads}.
     *
     * @throws IllegalArgumentException naming property, value and the allowed ones
     */
    public static DirectReads parse(String text) {
        for (DirectReads each : values()) {
            if (each.text().equals(text.strip().toLowerCase(Locale.ROOT))) {
                return each;
            }
        }
        throw new IllegalArgumentException("ringside.experts.direct-reads: found '" + text + "', expected auto, true or false");
    }

    /** The name in configuration, lower case. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether a model is read directly: with {@code auto} when its experts fill more than half of the memory. */
    boolean wanted(long expertBytes, long memoryBytes) {
        return this == TRUE || this == AUTO && expertBytes > memoryBytes / 2;
    }
}

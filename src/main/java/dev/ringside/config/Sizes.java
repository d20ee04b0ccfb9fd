package dev.ringside.config;

import java.util.Locale;

/** Bytes as people read them. */
final class Sizes {

    private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};

    private Sizes() {}

    static String text(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + " bytes" : String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
    }
}

package dev.ringside.cli;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Sizes in memory: read from an option such as {@code 24GB}, shown as people read them. Units are multiples of 1024. */
final class ByteSize implements ITypeConverter<Long> {

    private static final double LARGEST = 0x1p62;
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

    @Override
    public Long convert(String value) {
        String text = value.strip().toUpperCase(Locale.ROOT);
        int end = 0;
        while (end < text.length() && (Character.isDigit(text.charAt(end)) || text.charAt(end) == '.')) {
            end++;
        }
        long unit = switch (text.substring(end).strip()) {
            case "", "B" -> 1;
            case "K", "KB", "KIB" -> 1L << 10;
            case "M", "MB", "MIB" -> 1L << 20;
            case "G", "GB", "GIB" -> 1L << 30;
            case "T", "TB", "TIB" -> 1L << 40;
            default -> throw refused(value);
        };
        try {
            double bytes = Double.parseDouble(text.substring(0, end)) * unit;
            if (bytes < 1 || bytes > LARGEST) {
                throw refused(value);
            }
            return (long) bytes;
        } catch (NumberFormatException e) {
            throw refused(value);
        }
    }

    private static TypeConversionException refused(String value) {
        return new TypeConversionException("expected a size such as 24GB or 512MB, found '" + value + "'");
    }

    /** Three significant digits or so: {@code 17.3 GiB}. */
    static String text(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0
                ? bytes + " B"
                : String.format(Locale.ROOT, value < 10 ? "%.2f %s" : value < 100 ? "%.1f %s" : "%.0f %s", value, UNITS[unit]);
    }

    /** Counts in thousands: {@code 30.5 B} parameters. */
    static String count(long number) {
        if (number < 10_000) {
            return Long.toString(number);
        }
        String[] units = {"", " K", " M", " B", " T"};
        double value = number;
        int unit = 0;
        while (value >= 1000 && unit < units.length - 1) {
            value /= 1000;
            unit++;
        }
        return String.format(Locale.ROOT, value < 100 ? "%.2f%s" : "%.0f%s", value, units[unit]);
    }
}

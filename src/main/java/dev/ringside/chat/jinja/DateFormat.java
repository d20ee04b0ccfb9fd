package dev.ringside.chat.jinja;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The common directives of C's {@code strftime}, in English. */
final class DateFormat {

    private DateFormat() {}

    static String format(String format, ZonedDateTime time) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < format.length(); i++) {
            char c = format.charAt(i);
            if (c != '%' || i + 1 == format.length()) {
                text.append(c);
                continue;
            }
            c = format.charAt(++i);
            boolean unpadded = c == '-' && i + 1 < format.length();
            if (unpadded) {
                c = format.charAt(++i);
            }
            text.append(directive(c, unpadded, time));
        }
        return text.toString();
    }

    private static String directive(char directive, boolean unpadded, ZonedDateTime time) {
        String pattern = switch (directive) {
            case 'Y' -> "yyyy";
            case 'y' -> "yy";
            case 'm' -> unpadded ? "M" : "MM";
            case 'd' -> unpadded ? "d" : "dd";
            case 'e' -> "ppd";
            case 'j' -> unpadded ? "D" : "DDD";
            case 'B' -> "MMMM";
            case 'b', 'h' -> "MMM";
            case 'A' -> "EEEE";
            case 'a' -> "EEE";
            case 'H' -> unpadded ? "H" : "HH";
            case 'I' -> unpadded ? "h" : "hh";
            case 'M' -> unpadded ? "m" : "mm";
            case 'S' -> unpadded ? "s" : "ss";
            case 'f' -> "SSSSSS";
            case 'p' -> "a";
            case 'Z' -> "zzz";
            case 'z' -> "xx";
            case 'F' -> "yyyy-MM-dd";
            case 'T', 'X' -> "HH:mm:ss";
            case 'D', 'x' -> "MM/dd/yy";
            case 'R' -> "HH:mm";
            case 'c' -> "EEE MMM ppd HH:mm:ss yyyy";
            case '%' -> "'%'";
            case 'n' -> "'\n'";
            case 't' -> "'\t'";
            default -> throw new JinjaException("strftime_now does not know %" + directive);
        };
        return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH).format(time);
    }
}

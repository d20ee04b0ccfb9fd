package dev.ringside.sampling.grammar;

/**
 * The characters of a JSON string (RFC 8259, section 7) as an automaton over bytes: valid UTF-8 without control characters, and escapes, those of
 * surrogates only in pairs. The quote that ends the string is not part of it.
 */
final class JsonString {

    /** Between two characters; every other state is inside one. */
    static final int BOUNDARY = 0;
    static final int DEAD = -1;
    static final int STATES = 32;

    private static final int ONE_MORE = 1;
    private static final int TWO_MORE = 2;
    private static final int THREE_MORE = 3;
    private static final int AFTER_E0 = 4;
    private static final int AFTER_ED = 5;
    private static final int AFTER_F0 = 6;
    private static final int AFTER_F4 = 7;
    private static final int ESCAPE = 8;
    private static final int HEX_1 = 9;
    private static final int HEX_2 = 10;
    private static final int HEX_3 = 11;
    private static final int HEX_4 = 12;
    private static final int HEX_2_AFTER_D = 13;
    private static final int HIGH_3 = 14;
    private static final int HIGH_4 = 15;
    private static final int LOW_ESCAPE = 16;
    private static final int LOW_U = 17;
    private static final int LOW_1 = 18;
    private static final int LOW_2 = 19;

    private JsonString() {}

    /** The state after a byte, or {@link #DEAD}. A character counts as begun when it leaves {@link #BOUNDARY}, even to come back at once. */
    static int next(int state, int b) {
        return switch (state) {
            case BOUNDARY -> first(b);
            case ONE_MORE -> within(b, 0x80, 0xBF, BOUNDARY);
            case TWO_MORE -> within(b, 0x80, 0xBF, ONE_MORE);
            case THREE_MORE -> within(b, 0x80, 0xBF, TWO_MORE);
            case AFTER_E0 -> within(b, 0xA0, 0xBF, ONE_MORE);
            case AFTER_ED -> within(b, 0x80, 0x9F, ONE_MORE);
            case AFTER_F0 -> within(b, 0x90, 0xBF, TWO_MORE);
            case AFTER_F4 -> within(b, 0x80, 0x8F, TWO_MORE);
            case ESCAPE -> escaped(b);
            case HEX_1 -> hex(b) == 0xD ? HEX_2_AFTER_D : ifHex(b, HEX_2);
            case HEX_2 -> ifHex(b, HEX_3);
            case HEX_3 -> ifHex(b, HEX_4);
            case HEX_4 -> ifHex(b, BOUNDARY);
            case HEX_2_AFTER_D -> hex(b) < 0 || hex(b) >= 0xC ? DEAD : hex(b) < 8 ? HEX_3 : HIGH_3;
            case HIGH_3 -> ifHex(b, HIGH_4);
            case HIGH_4 -> ifHex(b, LOW_ESCAPE);
            case LOW_ESCAPE -> b == '\\' ? LOW_U : DEAD;
            case LOW_U -> b == 'u' ? LOW_1 : DEAD;
            case LOW_1 -> hex(b) == 0xD ? LOW_2 : DEAD;
            case LOW_2 -> hex(b) >= 0xC ? HEX_3 : DEAD;
            default -> DEAD;
        };
    }

    private static int first(int b) {
        if (b < 0x80) {
            return b == '\\' ? ESCAPE : b < 0x20 || b == '"' ? DEAD : BOUNDARY;
        }
        if (b < 0xC2 || b > 0xF4) {
            return DEAD;
        }
        return switch (b) {
            case 0xE0 -> AFTER_E0;
            case 0xED -> AFTER_ED;
            case 0xF0 -> AFTER_F0;
            case 0xF4 -> AFTER_F4;
            default -> b < 0xE0 ? ONE_MORE : b < 0xF0 ? TWO_MORE : THREE_MORE;
        };
    }

    private static int escaped(int b) {
        return switch (b) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> BOUNDARY;
            case 'u' -> HEX_1;
            default -> DEAD;
        };
    }

    private static int within(int b, int low, int high, int next) {
        return b >= low && b <= high ? next : DEAD;
    }

    private static int ifHex(int b, int next) {
        return hex(b) >= 0 ? next : DEAD;
    }

    private static int hex(int b) {
        return Character.digit(b < 0x80 ? b : 0, 16);
    }

    /** A text as it stands in a JSON string, without the quotes and with as few escapes as possible. */
    static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 8);
        for (int i = 0; i < text.length(); i++) {
            escape(text.charAt(i), escaped);
        }
        return escaped.toString();
    }

    private static void escape(char c, StringBuilder target) {
        switch (c) {
            case '"' -> target.append("\\\"");
            case '\\' -> target.append("\\\\");
            case '\b' -> target.append("\\b");
            case '\f' -> target.append("\\f");
            case '\n' -> target.append("\\n");
            case '\r' -> target.append("\\r");
            case '\t' -> target.append("\\t");
            default -> {
                if (c < 0x20) {
                    target.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
                } else {
                    target.append(c);
                }
            }
        }
    }
}

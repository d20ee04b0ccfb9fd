package dev.ringside.chat;

/** Reads one JSON string behind its opening quote, character by character. Half a surrogate pair, which can be escaped, becomes U+FFFD. */
final class JsonStringReader {

    enum Progress {
        GOING_ON, CLOSED, BROKEN
    }

    private boolean escaped;
    private int hexLeft;
    private int hex;
    private char half;

    /** Takes a character and appends what it decodes to, if that is known by now. */
    Progress accept(char c, StringBuilder decoded) {
        if (hexLeft > 0) {
            int digit = c < 0x80 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                return Progress.BROKEN;
            }
            hex = hex << 4 | digit;
            if (--hexLeft == 0) {
                append((char) hex, decoded);
            }
            return Progress.GOING_ON;
        }
        if (escaped) {
            return escape(c, decoded);
        }
        switch (c) {
            case '"' -> {
                replaceHalf(decoded);
                return Progress.CLOSED;
            }
            case '\\' -> escaped = true;
            default -> append(c, decoded);
        }
        return Progress.GOING_ON;
    }

    private void append(char c, StringBuilder decoded) {
        if (half != 0 && Character.isLowSurrogate(c)) {
            decoded.append(half).append(c);
            half = 0;
            return;
        }
        replaceHalf(decoded);
        if (Character.isHighSurrogate(c)) {
            half = c;
        } else {
            decoded.append(Character.isLowSurrogate(c) ? '\uFFFD' : c);
        }
    }

    private void replaceHalf(StringBuilder decoded) {
        if (half != 0) {
            decoded.append('\uFFFD');
            half = 0;
        }
    }

    private Progress escape(char c, StringBuilder decoded) {
        escaped = false;
        switch (c) {
            case '"', '\\', '/' -> append(c, decoded);
            case 'b' -> append('\b', decoded);
            case 'f' -> append('\f', decoded);
            case 'n' -> append('\n', decoded);
            case 'r' -> append('\r', decoded);
            case 't' -> append('\t', decoded);
            case 'u' -> {
                hexLeft = 4;
                hex = 0;
            }
            default -> {
                return Progress.BROKEN;
            }
        }
        return Progress.GOING_ON;
    }

    /** Appends a character as it stands inside a JSON string. */
    static void appendEscaped(StringBuilder json, char c) {
        switch (c) {
            case '"' -> json.append("\\\"");
            case '\\' -> json.append("\\\\");
            case '\n' -> json.append("\\n");
            case '\r' -> json.append("\\r");
            case '\t' -> json.append("\\t");
            default -> {
                if (c < ' ') {
                    json.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
                } else {
                    json.append(c);
                }
            }
        }
    }

    /** A text as a JSON string, with its quotes. */
    static String quote(CharSequence text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            appendEscaped(json, text.charAt(i));
        }
        return json.append('"').toString();
    }
}

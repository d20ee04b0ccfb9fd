package dev.ringside.chat.jinja;

/** The escapes of Python string literals. */
final class StringEscapes {

    private StringEscapes() {}

    /** Replaces the escapes; a backslash before anything else stays. */
    static String resolve(String raw) {
        if (raw.indexOf('\\') < 0) {
            return raw;
        }
        StringBuilder text = new StringBuilder(raw.length());
        int at = 0;
        while (at < raw.length()) {
            char c = raw.charAt(at++);
            if (c != '\\' || at == raw.length()) {
                text.append(c);
                continue;
            }
            at = escape(raw, at, text);
        }
        return text.toString();
    }

    private static int escape(String raw, int at, StringBuilder text) {
        char kind = raw.charAt(at);
        int simple = "\\'\"abfnrtv\n".indexOf(kind);
        if (simple >= 0) {
            if (kind != '\n') {
                text.append("\\'\"\u0007\b\f\n\r\t\u000B".charAt(simple));
            }
            return at + 1;
        }
        if (kind >= '0' && kind <= '7') {
            int end = at;
            while (end < raw.length() && end < at + 3 && raw.charAt(end) >= '0' && raw.charAt(end) <= '7') {
                end++;
            }
            text.append((char) Integer.parseInt(raw.substring(at, end), 8));
            return end;
        }
        int digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
        int end = at + 1 + digits;
        if (digits == 0 || end > raw.length() || !isHex(raw, at + 1, end)) {
            text.append('\\').append(kind);
            return at + 1;
        }
        long codePoint = Long.parseLong(raw.substring(at + 1, end), 16);
        if (codePoint > Character.MAX_CODE_POINT) {
            throw new JinjaException("escape \\U" + raw.substring(at + 1, end) + " is beyond Unicode");
        }
        text.appendCodePoint((int) codePoint);
        return end;
    }

    private static boolean isHex(String raw, int from, int to) {
        for (int i = from; i < to; i++) {
            if (Character.digit(raw.charAt(i), 16) < 0) {
                return false;
            }
        }
        return true;
    }
}

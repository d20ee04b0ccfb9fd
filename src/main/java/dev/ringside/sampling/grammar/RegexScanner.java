package dev.ringside.sampling.grammar;

/** Reads a regular expression code point by code point. */
final class RegexScanner {

    private static final int SHOWN = 60;

    private final String pattern;
    private int at;

    RegexScanner(String pattern) {
        this.pattern = pattern;
    }

    boolean atEnd() {
        return at == pattern.length();
    }

    int peek() {
        return pattern.codePointAt(at);
    }

    int next() {
        if (atEnd()) {
            throw error("the pattern ends too early");
        }
        int c = pattern.codePointAt(at);
        at += Character.charCount(c);
        return c;
    }

    boolean take(char c) {
        if (at < pattern.length() && pattern.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    int number(int max) {
        int value = 0;
        int from = at;
        while (!atEnd() && peek() >= '0' && peek() <= '9') {
            value = value * 10 + next() - '0';
            if (value > max) {
                throw error("a count is above " + max);
            }
        }
        if (at == from) {
            throw error("a { that is no repetition must be written \\{");
        }
        return value;
    }

    /** Reads so many hexadecimal digits. */
    int hex(int digits) {
        int value = 0;
        for (int i = 0; i < digits; i++) {
            int digit = Character.digit(next(), 16);
            if (digit < 0) {
                throw error("expected " + digits + " hexadecimal digits");
            }
            value = value * 16 + digit;
        }
        return value;
    }

    void refuseSurrogate(int c) {
        if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
            throw error("half of a surrogate pair");
        }
    }

    GrammarException error(String message) {
        String shown = pattern.length() > SHOWN ? pattern.substring(0, SHOWN) + "..." : pattern;
        return new GrammarException("pattern " + shown + ", near index " + at + ": " + message);
    }
}

package dev.ringside.api;

/** Input quoted in messages: short, and never cut inside a character. */
final class Quote {

    private static final int LENGTH = 64;

    private Quote() {}

    static String shorten(String text) {
        if (text.length() <= LENGTH) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(LENGTH - 1)) ? LENGTH - 1 : LENGTH;
        return text.substring(0, end) + "...";
    }
}

package dev.ringside.tokenizer;

/**
 * Cuts text into the words within which bytes are merged. Scanners over code points and not regular expressions: Java's recurse per
 * character on such patterns. Every scan is linear in the word it returns, but for white space: there in the run.
 */
sealed interface WordScanner permits ModernWords, Gpt2Words {

    /** End of the word that begins at {@code start}; at least one character further, at most the text's length. */
    int wordEnd(String text, int start);

    /** End of the English contraction ({@code 's 't 're 've 'm 'll 'd}) at {@code start}, or {@code start} when there is none. */
    static int contractionEnd(String text, int start, boolean anyCase) {
        if (text.charAt(start) != '\'' || start + 1 == text.length()) {
            return start;
        }
        char first = lower(text.charAt(start + 1), anyCase);
        if (first == 's' || first == 't' || first == 'm' || first == 'd') {
            return start + 2;
        }
        char second = start + 2 < text.length() ? lower(text.charAt(start + 2), anyCase) : 0;
        return (first == 'r' || first == 'v') && second == 'e' || first == 'l' && second == 'l' ? start + 3 : start;
    }

    private static char lower(char character, boolean anyCase) {
        if (!anyCase) {
            return character;
        }
        // the long s is a case of s too, and the published patterns match it
        return character >= 'A' && character <= 'Z' ? (char) (character + 32) : character == '\u017F' ? 's' : character;
    }
}

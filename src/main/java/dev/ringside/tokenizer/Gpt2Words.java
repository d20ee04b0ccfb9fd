package dev.ringside.tokenizer;

/**
 * The words of GPT-2. A word is the first of these that fits:
 * <ol>
 * <li>an English contraction ({@code 's 't 're 've 'm 'll 'd}, small letters only),
 * <li>letters, or digits, or other characters that are not white space, each with a space before them,
 * <li>white space, line ends included, except for its last character when a word follows.
 * </ol>
 * Combining marks count as other characters.
 */
record Gpt2Words() implements WordScanner {

    @Override
    public int wordEnd(String text, int start) {
        int contractionEnd = WordScanner.contractionEnd(text, start, false);
        if (contractionEnd > start) {
            return contractionEnd;
        }
        byte kind = kind(text, start);
        if (kind != CodePoints.SPACE) {
            return runEnd(text, start, kind);
        }
        if (text.charAt(start) == ' ' && start + 1 < text.length()) {
            byte next = kind(text, start + 1);
            if (next != CodePoints.SPACE) {
                return runEnd(text, start + 1, next);
            }
        }
        int end = runEnd(text, start, CodePoints.SPACE);
        return end == text.length() || end == start + 1 ? end : end - 1; // all white space is in the basic plane
    }

    private static int runEnd(String text, int from, byte wanted) {
        int end = from;
        while (end < text.length() && kind(text, end) == wanted) {
            end += Character.charCount(text.codePointAt(end));
        }
        return end;
    }

    private static byte kind(String text, int at) {
        byte kind = CodePoints.classOf(text.codePointAt(at));
        return switch (kind) {
            case CodePoints.MARK -> CodePoints.OTHER;
            case CodePoints.NEWLINE -> CodePoints.SPACE;
            default -> kind;
        };
    }
}

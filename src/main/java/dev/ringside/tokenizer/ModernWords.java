package dev.ringside.tokenizer;

/**
 * The words of Qwen and Llama 3, whose pattern comes from cl100k. A word is the first of these that fits:
 * <ol>
 * <li>an English contraction ({@code 's 't 're 've 'm 'll 'd}, any case),
 * <li>letters, with one character before them that is neither letter, digit nor line end,
 * <li>digits, {@code maxDigits} at most,
 * <li>other characters that are not white space, with a space before and line ends after them,
 * <li>white space up to its last line end,
 * <li>white space, except for its last character when a word follows.
 * </ol>
 *
 * @param marksJoinLetters whether combining marks belong to the letters or to the other characters
 */
record ModernWords(boolean marksJoinLetters, int maxDigits) implements WordScanner {

    @Override
    public int wordEnd(String text, int start) {
        int contractionEnd = WordScanner.contractionEnd(text, start, true);
        if (contractionEnd > start) {
            return contractionEnd;
        }
        int first = text.codePointAt(start);
        byte kind = kind(first);
        int second = start + Character.charCount(first);
        if (kind == CodePoints.LETTER) {
            return runEnd(text, second, CodePoints.LETTER);
        }
        if (kind == CodePoints.NUMBER) {
            return digitsEnd(text, second);
        }
        if (kind != CodePoints.NEWLINE && second < text.length() && kind(text.codePointAt(second)) == CodePoints.LETTER) {
            return runEnd(text, second, CodePoints.LETTER);
        }
        if (kind == CodePoints.OTHER || first == ' ' && second < text.length() && kind(text.codePointAt(second)) == CodePoints.OTHER) {
            return newlinesEnd(text, runEnd(text, second, CodePoints.OTHER));
        }
        return whiteSpaceEnd(text, start);
    }

    private byte kind(int codePoint) {
        byte kind = CodePoints.classOf(codePoint);
        if (kind == CodePoints.MARK) {
            return marksJoinLetters ? CodePoints.LETTER : CodePoints.OTHER;
        }
        return kind;
    }

    private int runEnd(String text, int from, byte wanted) {
        int end = from;
        while (end < text.length()) {
            int codePoint = text.codePointAt(end);
            if (kind(codePoint) != wanted) {
                break;
            }
            end += Character.charCount(codePoint);
        }
        return end;
    }

    /** End of a run of digits whose first one ends at {@code from}. */
    private int digitsEnd(String text, int from) {
        int end = from;
        for (int digits = 1; digits < maxDigits && end < text.length(); digits++) {
            int codePoint = text.codePointAt(end);
            if (CodePoints.classOf(codePoint) != CodePoints.NUMBER) {
                break;
            }
            end += Character.charCount(codePoint);
        }
        return end;
    }

    private static int newlinesEnd(String text, int from) {
        int end = from;
        while (end < text.length() && CodePoints.classOf(text.charAt(end)) == CodePoints.NEWLINE) {
            end++;
        }
        return end;
    }

    private static int whiteSpaceEnd(String text, int start) {
        int end = start;
        int afterLastNewline = -1;
        while (end < text.length()) { // all white space is in the basic plane
            byte kind = CodePoints.classOf(text.charAt(end));
            if (kind == CodePoints.NEWLINE) {
                afterLastNewline = end + 1;
            } else if (kind != CodePoints.SPACE) {
                break;
            }
            end++;
        }
        if (afterLastNewline > 0) {
            return afterLastNewline;
        }
        return end == text.length() || end == start + 1 ? end : end - 1;
    }
}

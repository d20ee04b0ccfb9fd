package dev.ringside.tokenizer;

import java.util.Random;

/** Texts made of what tokenizers disagree about, with words of the vocabulary between. */
final class RandomTexts {

    private static final String[] PIECES = {" ", "  ", "   ", "\t", "\n", "\r", "\r\n", "\n\n", "\u00A0", "\u0085", "\u2003", "\u3000",
        "\u2028", "\u000B", "'s", "'S",
        "'re", "'RE", "'lL", "'ve", "'t", "'d", "'M", "'x", "'", "\u2019s", "'\u017F", "'\u017Fs", "I'm", "don't", "''ll", "0", "12", "345",
        "6789", "\u0664\u0665", "\u00BD", "\u2167",
        "\u0301", "\u0316\u0301", "\u0300\u0316", "e\u0301", "caf\u00E9", "\u212B", "\uFB01", "\u1100\u1161\u11A8", "\uAC00",
        "\u0928\u092E\u0938\u094D\u0924\u0947", "\u0BA8\u0BBF",
        "\uD83D\uDE42", "\uD83D\uDC69\u200D\uD83D\uDC67", "\uD83C\uDDE9", "\uD835\uDD4F", "\uD840\uDC00", "\u6771\u4EAC", "\u3042\u30A2",
        "\u0645\u0631\u062D\u0628\u0627", "!", "?!",
        "...", "==", "();", "{\n", "->", "_", "#", "\u2581", "\u20AC", "\u2014", "\u00AD", "\u200B", "\uFEFF", "\u0000", "\u007F", "the",
        " the", "The", "ing", " of",
        " and", "hello", " world", "Once upon", " a time", "aaaa", "zzz", "ABC", "\u00DF", "\u0130", "\u01C5", "\u02B0", "\u00AA"};

    private RandomTexts() {}

    static String next(Random random) {
        StringBuilder text = new StringBuilder();
        for (int count = 1 + random.nextInt(14); count > 0; count--) {
            int choice = random.nextInt(10);
            if (choice < 7) {
                text.append(PIECES[random.nextInt(PIECES.length)]);
            } else if (choice < 9) {
                text.append((char) (0x20 + random.nextInt(0x60)));
            } else {
                text.appendCodePoint(anyCharacter(random));
            }
        }
        return text.toString();
    }

    /** A character that has been in Unicode for long: the two sides need not know the same version. */
    private static int anyCharacter(Random random) {
        while (true) {
            int codePoint = random.nextInt(0x3100);
            if (Character.isDefined(codePoint) && Character.UnicodeBlock.of(codePoint) != null && isOld(codePoint)) {
                return codePoint;
            }
        }
    }

    private static boolean isOld(int codePoint) {
        return codePoint < 0x0500 || codePoint >= 0x0590 && codePoint < 0x0700 || codePoint >= 0x0905 && codePoint < 0x0970
                || codePoint >= 0x1E00 && codePoint < 0x2100
                || codePoint >= 0x2150 && codePoint < 0x2180 || codePoint >= 0x3000;
    }
}

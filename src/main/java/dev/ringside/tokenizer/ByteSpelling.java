package dev.ringside.tokenizer;

/** How SentencePiece vocabularies write byte tokens: {@code <0x00>} to {@code <0xFF>}. */
final class ByteSpelling {

    private ByteSpelling() {}

    /** The byte, or -1 when this is no spelling of one. */
    static int parse(String token) {
        if (token.length() != 6 || !token.startsWith("<0x") || token.charAt(5) != '>') {
            return -1;
        }
        int high = Character.digit(token.charAt(3), 16);
        int low = Character.digit(token.charAt(4), 16);
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }
}

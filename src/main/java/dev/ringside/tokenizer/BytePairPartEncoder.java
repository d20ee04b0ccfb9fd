package dev.ringside.tokenizer;

import java.nio.charset.StandardCharsets;

/** The way of GPT-2 style vocabularies: text is normalised and cut into words, the bytes of a word are merged. */
final class BytePairPartEncoder implements PartEncoder {

    private final Normalization normalization;
    private final WordScanner scanner;
    private final BytePairEncoder encoder;

    BytePairPartEncoder(Normalization normalization, WordScanner scanner, BytePairEncoder encoder) {
        this.normalization = normalization;
        this.scanner = scanner;
        this.encoder = encoder;
    }

    @Override
    public void encode(String part, IntList output) {
        String text = normalization == Normalization.NFC ? Composition.compose(part) : part;
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int byteStart = 0;
        for (int start = 0; start < text.length();) {
            int wordEnd = scanner.wordEnd(text, start);
            int byteEnd = byteStart + utf8Length(text, start, wordEnd);
            encoder.encode(bytes, byteStart, byteEnd, output);
            start = wordEnd;
            byteStart = byteEnd;
        }
    }

    private static int utf8Length(String text, int from, int to) {
        int length = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            length += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return length;
    }
}

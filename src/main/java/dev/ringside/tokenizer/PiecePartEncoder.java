package dev.ringside.tokenizer;

import java.nio.charset.StandardCharsets;

/**
 * The way of SentencePiece vocabularies: the text, with a space put in front, is merged as a whole. Where no piece has a space after another
 * character, nothing merges over the beginning of a word, and words are merged one by one: the same tokens from much smaller heaps.
 */
final class PiecePartEncoder implements PartEncoder {

    private final Normalization normalization;
    private final boolean spacePrefix;
    private final boolean wordByWord;
    private final PieceEncoder encoder;

    /** @param wordByWord whether {@link Vocabulary#spacesLead()} */
    PiecePartEncoder(Normalization normalization, boolean spacePrefix, boolean wordByWord, PieceEncoder encoder) {
        this.normalization = normalization;
        this.spacePrefix = spacePrefix;
        this.wordByWord = wordByWord;
        this.encoder = encoder;
    }

    @Override
    public void encode(String part, IntList output) {
        String text = (normalization == Normalization.NFC ? Composition.compose(part) : part).replace(Vocabulary.SPACE_MARK, ' ');
        byte[] bytes = (spacePrefix ? " " + text : text).getBytes(StandardCharsets.UTF_8);
        int start = 0;
        if (wordByWord) {
            for (int i = 1; i < bytes.length; i++) {
                if (bytes[i] == ' ' && bytes[i - 1] != ' ') {
                    encoder.encode(bytes, start, i, output);
                    start = i;
                }
            }
        }
        encoder.encode(bytes, start, bytes.length, output);
    }
}

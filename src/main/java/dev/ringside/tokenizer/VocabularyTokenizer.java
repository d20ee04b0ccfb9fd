package dev.ringside.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * A tokenizer over a vocabulary: special tokens cut a text, what lies between them goes to a {@link PartEncoder}. What is in the vocabulary
 * and how its tokens are found is all that the kinds of tokenizers differ in.
 */
final class VocabularyTokenizer implements Tokenizer {

    private final Vocabulary vocabulary;
    private final Supplier<PartEncoder> encoders;
    private final boolean spacePrefix;
    private final SpecialTokenMatcher specialTokens;
    private final EndTokens endTokens;

    /**
     * @param encoders gives a fresh encoder for every call
     * @param spacePrefix whether the encoder puts a space in front
     */
    VocabularyTokenizer(Vocabulary vocabulary, Supplier<PartEncoder> encoders, boolean spacePrefix, EndTokens endTokens) {
        this.vocabulary = vocabulary;
        this.encoders = encoders;
        this.spacePrefix = spacePrefix;
        this.endTokens = endTokens;
        this.specialTokens = new SpecialTokenMatcher(vocabulary);
    }

    @Override
    public int[] encode(String text, SpecialTokens special) {
        requireWholeCharacters(text);
        Encoding encoding = new Encoding(text);
        if (special == SpecialTokens.RECOGNISE) {
            encoding.recognise(0, text.length());
        }
        return encoding.finish();
    }

    @Override
    public int[] encode(List<TextSpan> spans) {
        StringBuilder joined = new StringBuilder();
        spans.forEach(span -> joined.append(span.text()));
        String text = joined.toString();
        requireWholeCharacters(text);
        Encoding encoding = new Encoding(text);
        int start = 0;
        int templateStart = 0;
        for (TextSpan span : spans) {
            int end = start + span.text().length();
            if (!span.fromTemplate() && !span.text().isEmpty()) {
                encoding.recognise(templateStart, start);
                templateStart = end;
            }
            start = end;
        }
        encoding.recognise(templateStart, start);
        return encoding.finish();
    }

    /** One pass over a text. */
    private final class Encoding {

        private final String text;
        private final IntList output;
        private final PartEncoder encoder = encoders.get();
        private int done;

        Encoding(String text) {
            this.text = text;
            this.output = new IntList(text.length() / 3 + 8);
        }

        void recognise(int from, int to) {
            int start = from;
            while (start < to) {
                SpecialTokenMatcher.Match match = specialTokens.find(text, start, to);
                if (match.id() < 0) {
                    return;
                }
                encodeUpTo(match.start());
                output.add(match.id());
                start = match.end();
                done = start;
            }
        }

        int[] finish() {
            encodeUpTo(text.length());
            return output.toArray();
        }

        private void encodeUpTo(int end) {
            if (done == end) {
                return;
            }
            encoder.encode(text.substring(done, end), output);
            done = end;
        }
    }

    private static void requireWholeCharacters(String text) {
        int i = 0;
        while (i < text.length()) {
            int codePoint = text.codePointAt(i);
            if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
                throw new TokenizerException(
                        "text holds half of a surrogate pair (U+" + Integer.toHexString(codePoint).toUpperCase(Locale.ROOT) + ") at index "
                                + i);
            }
            i += Character.charCount(codePoint);
        }
    }

    @Override
    public int vocabularySize() {
        return vocabulary.size();
    }

    @Override
    public byte[] tokenBytes(int id) {
        return vocabulary.bytes(id);
    }

    @Override
    public int copyTokenBytes(int id, byte[] target, int offset) {
        vocabulary.copyBytes(id, target, offset);
        return vocabulary.length(id);
    }

    @Override
    public int tokenLength(int id) {
        return vocabulary.length(id);
    }

    @Override
    public boolean isControl(int id) {
        return vocabulary.kind(id).isSilent();
    }

    @Override
    public boolean isEndOfGeneration(int id) {
        return endTokens.endOfGeneration().get(id);
    }

    @Override
    public int eosToken() {
        return endTokens.eos();
    }

    @Override
    public OptionalInt bosToken() {
        return endTokens.bos();
    }

    @Override
    public boolean addsBosToken() {
        return endTokens.addBos();
    }

    @Override
    public boolean addsEosToken() {
        return endTokens.addEos();
    }

    @Override
    public boolean addsSpacePrefix() {
        return spacePrefix;
    }

    @Override
    public OptionalInt idOf(String token) {
        return vocabulary.find(token);
    }

    @Override
    public String piece(int id) {
        return new String(vocabulary.bytes(id), StandardCharsets.UTF_8);
    }
}

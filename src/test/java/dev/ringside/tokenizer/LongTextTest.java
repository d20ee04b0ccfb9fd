package dev.ringside.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A mebibyte of one pattern goes through every tokenizer in a flat stack and comes back from its tokens. */
class LongTextTest {

    private static final int MEBI = 1 << 20;
    private static final String[] PATTERNS = {"A", " ", "\n", "\n\n ", "1", "\u3042"};

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void byteLevelTokenizers(PreTokenizer pre) throws Exception {
        encodeAll(GgufTokenizerFactory.create(TestVocabularies.demoMetadata(), pre, Normalization.NONE));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sentencePieceTokenizer(boolean spacesWithinPieces) throws Exception {
        PieceVocabulary vocabulary = new PieceVocabulary();
        for (String character : new String[] {"A", "\u2581", "\n", "1", "a"}) {
            for (int length = 1; length <= 16; length *= 2) {
                vocabulary.piece(character.repeat(length), -length);
            }
        }
        if (spacesWithinPieces) {
            vocabulary.piece("a\u2581", -3);
        }
        encodeAll(vocabulary.tokenizer(directory));
    }

    private static void encodeAll(Tokenizer tokenizer) throws Exception {
        for (String pattern : PATTERNS) {
            String text = pattern.repeat(MEBI / pattern.getBytes(StandardCharsets.UTF_8).length);
            int[][] result = new int[1][0];
            Thread small = new Thread(null, () -> result[0] = tokenizer.encode(text, SpecialTokens.RECOGNISE), "small-stack", 512 * 1024);
            small.start();
            small.join();
            assertThat(decode(tokenizer, result[0]).equals(text)).as("a mebibyte of '%s' comes back", pattern).isTrue();
        }
    }

    private static String decode(Tokenizer tokenizer, int[] ids) {
        byte[] bytes = new byte[MEBI + 64];
        int length = 0;
        for (int id : ids) {
            length += tokenizer.copyTokenBytes(id, bytes, length);
        }
        int start = tokenizer.addsSpacePrefix() ? 1 : 0;
        return new String(Arrays.copyOfRange(bytes, start, length), StandardCharsets.UTF_8);
    }
}

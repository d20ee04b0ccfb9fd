package dev.ringside.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import ai.djl.huggingface.tokenizers.jni.LibUtils;
import dev.ringside.gguf.GgufMetadata;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same ids as Hugging Face's tokenizers library for random texts, with the demo model's vocabulary and a SentencePiece one. */
class HuggingFaceComparisonTest {

    private static final int TEXTS = 2500;
    private static final long SEED = Long.getLong("ringside.test.seed", 38L);

    private static final String CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
    private static final String QWEN2 = CONTRACTIONS
            + "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
    private static final String QWEN35 = CONTRACTIONS
            + "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
    private static final String LLAMA3 = CONTRACTIONS
            + "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

    @TempDir
    private static Path directory;

    @BeforeAll
    static void loadTheNativeLibrary() {
        System.setProperty("ai.djl.offline", "true"); // else the library reports its use to its makers
        System.setProperty("DJL_CACHE_DIR", directory.toString());
        try {
            LibUtils.checkStatus();
        } catch (RuntimeException | LinkageError e) {
            Assumptions.abort("no native library of Hugging Face's tokenizers for this machine: " + e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void byteLevelTokenizersGiveTheSameIds(PreTokenizer pre) {
        GgufMetadata metadata = TestVocabularies.demoMetadata();
        Path file = HuggingFaceFiles.byteLevel(metadata, pattern(pre), pre.normalization() == Normalization.NFC, pre.takesWholeWords(),
                directory.resolve(pre + ".json"));
        compare(GgufTokenizerFactory.create(metadata, pre, pre.normalization()), file);
    }

    @ParameterizedTest
    @EnumSource
    void textsAreCutIntoTheSameWords(PreTokenizer pre) {
        GgufMetadata metadata = TestVocabularies.demoMetadata();
        Path file = HuggingFaceFiles.byteLevel(metadata, pattern(pre), false, pre.takesWholeWords(),
                directory.resolve(pre + "-words.json"));
        Tokenizer ours = GgufTokenizerFactory.create(metadata, pre, Normalization.NONE);
        Random random = new Random(SEED + 1);
        try (HuggingFaceTokenizer theirs = open(file)) {
            for (int i = 0; i < TEXTS; i++) {
                String text = RandomTexts.next(random);
                List<Long> words = new ArrayList<>();
                for (int start = 0; start < text.length();) {
                    int end = pre.scanner().wordEnd(text, start);
                    int tokens = ours.encode(text.substring(start, end), SpecialTokens.AS_TEXT).length;
                    words.addAll(Collections.nCopies(tokens, words.isEmpty() ? 0L : words.getLast() + 1));
                    start = end;
                }
                long[] expected = theirs.encode(text, false, false).getWordIds();
                assertThat(words).as("word of each token; seed %d, text %d: '%s'", SEED, i, escaped(text))
                        .containsExactlyElementsOf(Arrays.stream(expected).boxed().toList());
            }
        }
    }

    @Test
    void sentencePieceTokenizerGivesTheSameIds() {
        GgufMetadata metadata = TestVocabularies.metadata(TestVocabularies.testData("stories260k/stories260K-dense.gguf"));
        compare(Tokenizer.from(metadata), HuggingFaceFiles.pieces(metadata, directory.resolve("pieces.json")));
    }

    private static void compare(Tokenizer ours, Path file) {
        Random random = new Random(SEED);
        try (HuggingFaceTokenizer theirs = open(file)) {
            for (int i = 0; i < TEXTS; i++) {
                String text = RandomTexts.next(random);
                int[] expected = Arrays.stream(theirs.encode(text, false, false).getIds()).mapToInt(Math::toIntExact).toArray();
                assertThat(ours.encode(text, SpecialTokens.AS_TEXT)).as("seed %d, text %d: '%s'", SEED, i, escaped(text))
                        .containsExactly(expected);
            }
        }
    }

    /** The published regular expression, null for GPT-2, whose own is built into the library. */
    private static @Nullable String pattern(PreTokenizer pre) {
        return switch (pre) {
            case QWEN2 -> QWEN2;
            case QWEN35 -> QWEN35;
            case LLAMA3 -> LLAMA3;
            case GPT2 -> null;
        };
    }

    private static HuggingFaceTokenizer open(Path file) {
        try {
            return HuggingFaceTokenizer.builder().optTokenizerPath(file).optTruncation(false).optPadding(false).optAddSpecialTokens(false)
                    .build();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        text.chars().forEach(c -> escaped.append(c > 0x20 && c < 0x7F ? Character.toString(c) : String.format("\\u%04X", c)));
        return escaped.toString();
    }
}

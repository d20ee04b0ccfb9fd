package dev.ringside.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gguf.GgufWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PreTokenizerTest {

    @TempDir
    private Path directory;

    @Test
    void gptTwoKeepsDigitsTogetherAndPutsASpaceBeforeAnyWord() {
        assertThat(words(PreTokenizer.GPT2, "In 12345 days!?  ok\n\nyes")).containsExactly("In", " 12345", " days", "!?", " ", " ok", "\n",
                "\n", "yes");
    }

    @Test
    void gptTwoKnowsContractionsInSmallLettersOnly() {
        assertThat(words(PreTokenizer.GPT2, "we're WE'RE")).containsExactly("we", "'re", " WE", "'", "RE");
    }

    @Test
    void llamaThreeCutsDigitsInThreesFromTheLeft() {
        assertThat(words(PreTokenizer.LLAMA3, "a1234567 b\u0664\u0665")).containsExactly("a", "123", "456", "7", " b", "\u0664\u0665");
    }

    @Test
    void llamaThreeKnowsContractionsInAnyCase() {
        assertThat(words(PreTokenizer.LLAMA3, "we're WE'RE it'\u017F")).containsExactly("we", "'re", " WE", "'RE", " it", "'\u017F");
    }

    @Test
    void llamaThreeTakesOneOtherCharacterBeforeLettersAndLineEndsAfterPunctuation() {
        assertThat(words(PreTokenizer.LLAMA3, "(a) {\n\n  b")).containsExactly("(a", ")", " {\n\n", " ", " b");
    }

    @ParameterizedTest
    @CsvSource({"qwen2,QWEN2", "qwen35,QWEN35", "gpt-2,GPT2", "llama-bpe,LLAMA3", "llama3,LLAMA3", "llama-v3,LLAMA3"})
    void namesInFilesAreKnown(String key, PreTokenizer expected) {
        assertThat(PreTokenizer.named(key)).isEqualTo(expected);
    }

    @Test
    void unknownNamesAreRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> PreTokenizer.named("tekken")).isInstanceOf(TokenizerException.class)
                .hasMessage("tokenizer.ggml.pre is 'tekken'; supported: qwen2, qwen35, llama-bpe, llama3, llama-v3, gpt-2");
    }

    @Test
    void defaultIsRefusedWithTheRemedy() {
        assertThatThrownBy(() -> PreTokenizer.named("default")).isInstanceOf(TokenizerException.class)
                .hasMessageContaining("convert the model again");
    }

    @Test
    void llamaThreeTakesAWordThatIsATokenWhole() {
        assertThat(tokenizer("llama-bpe").encode("xyz xyza", SpecialTokens.AS_TEXT)).containsExactly(256, 32, 257, 'z', 'a');
    }

    @Test
    void gptTwoMergesAWordThatIsATokenLikeAnyOther() {
        assertThat(tokenizer("gpt-2").encode("xyz", SpecialTokens.AS_TEXT)).containsExactly(257, 'z');
    }

    @Test
    void onlyLlamaThreeAsksForBosWhenTheFileDoesNotSay() {
        assertThat(tokenizer("llama-bpe").addsBosToken()).isTrue();
        assertThat(tokenizer("gpt-2").addsBosToken()).isFalse();
    }

    @Test
    void onlyTheQwenTokenizersComposeTextByDefault() {
        assertThat(tokenizer("qwen2").encode("e\u0301", SpecialTokens.AS_TEXT)).containsExactly(0xC3, 0xA9);
        assertThat(tokenizer("gpt-2").encode("e\u0301", SpecialTokens.AS_TEXT)).containsExactly('e', 0xCC, 0x81);
        assertThat(tokenizer("llama-bpe").encode("e\u0301", SpecialTokens.AS_TEXT)).containsExactly('e', 0xCC, 0x81);
    }

    @Test
    void unknownTokenizerModelsAreRefusedWithTheKnownOnes() {
        GgufWriter writer = GgufWriter.of("llama").putString("tokenizer.ggml.model", "bert");
        assertThatThrownBy(() -> PieceVocabulary.tokenizer(writer, directory)).isInstanceOf(TokenizerException.class)
                .hasMessage("tokenizer.ggml.model is 'bert'; supported: gpt2, llama");
    }

    /** Id = byte up to 255; then xyz, which no merge makes, xy with a merge, and the end token. */
    private Tokenizer tokenizer(String pre) {
        List<String> tokens = new ArrayList<>();
        for (int value = 0; value < 256; value++) {
            tokens.add(letterOf(value));
        }
        tokens.addAll(List.of("xyz", "xy", "<|endoftext|>"));
        int[] types = new int[tokens.size()];
        Arrays.fill(types, 1);
        types[258] = 3;
        return PieceVocabulary
                .tokenizer(GgufWriter.of("llama").putString("tokenizer.ggml.model", "gpt2").putString("tokenizer.ggml.pre", pre)
                        .putStrings("tokenizer.ggml.tokens", tokens).putI32s("tokenizer.ggml.token_type", types)
                        .putStrings("tokenizer.ggml.merges", List.of("x y"))
                        .putU32("tokenizer.ggml.bos_token_id", 258), directory);
    }

    private static String letterOf(int value) {
        for (char c = 0; c < 0x144; c++) {
            if (ByteAlphabet.byteOf(c) == value) {
                return Character.toString(c);
            }
        }
        throw new AssertionError(value);
    }

    private static List<String> words(PreTokenizer pre, String text) {
        List<String> words = new ArrayList<>();
        for (int start = 0; start < text.length();) {
            int end = pre.scanner().wordEnd(text, start);
            words.add(text.substring(start, end));
            start = end;
        }
        return words;
    }
}

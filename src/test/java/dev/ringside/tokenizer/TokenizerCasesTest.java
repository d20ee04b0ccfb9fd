package dev.ringside.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gguf.GgufMetadata;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Token ids that Hugging Face's tokenizers and llama.cpp give for public test strings. */
class TokenizerCasesTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @ParameterizedTest
    @ValueSource(strings = {"qwen2", "qwen35"})
    void smallVocabularyGivesTheIdsOfLlamaCppWithoutNormalisation(String pre) {
        JsonNode cases = smallCases(pre);
        Tokenizer tokenizer = smallTokenizer(cases, Normalization.NONE);
        for (JsonNode testCase : cases.path("cases")) {
            String text = testCase.path("text").asString();
            assertThat(tokenizer.encode(text, SpecialTokens.RECOGNISE)).as("'%s'", text).containsExactly(ids(testCase.path("ids")));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen2", "qwen35"})
    void smallVocabularyGivesTheIdsOfHuggingFaceWithNormalisation(String pre) {
        JsonNode cases = smallCases(pre);
        Tokenizer tokenizer = smallTokenizer(cases, Normalization.NFC);
        for (JsonNode testCase : cases.path("cases")) {
            String text = testCase.path("text").asString();
            JsonNode expected = testCase.has("ids_after_nfc") ? testCase.path("ids_after_nfc") : testCase.path("ids");
            assertThat(tokenizer.encode(text, SpecialTokens.RECOGNISE)).as("'%s'", text).containsExactly(ids(expected));
        }
    }

    @ParameterizedTest
    @CsvSource({"hf_qwen3,QWEN2,NFC", "llama_qwen2_special,QWEN2,NONE"})
    void realVocabularyAgreesWithBothImplementationsWhereTheyDiffer(String source, PreTokenizer pre, Normalization normalization) {
        Tokenizer tokenizer = realTokenizer(pre, normalization);
        for (JsonNode testCase : read("tokenizer/qwen_tokenizer_discriminators.json")) {
            String text = testCase.path("text").asString();
            assertThat(tokenizer.encode(text, SpecialTokens.RECOGNISE)).as("'%s'", text).containsExactly(ids(testCase.path(source)));
        }
    }

    @Test
    void realVocabularyWithTheNewerPreTokeniserAgreesWithLlamaCpp() {
        Tokenizer tokenizer = realTokenizer(PreTokenizer.QWEN35, Normalization.NONE);
        for (JsonNode testCase : read("tokenizer/qwen_tokenizer_discriminators.json")) {
            String text = testCase.path("text").asString();
            // that run left control tokens alone but not user-defined ones
            SpecialTokens special = text.startsWith("<|") ? SpecialTokens.AS_TEXT : SpecialTokens.RECOGNISE;
            assertThat(tokenizer.encode(text, special)).as("'%s'", text).containsExactly(ids(testCase.path("llama_qwen35")));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"QWEN2", "QWEN35"})
    void realVocabularyGivesTheIdsOfThePublicTestStrings(PreTokenizer pre) throws Exception {
        String name = "tokenizer/ggml-vocab-" + (pre == PreTokenizer.QWEN2 ? "qwen2" : "qwen35") + ".gguf";
        Tokenizer tokenizer = realTokenizer(pre, Normalization.NONE);
        String[] texts = Files.readString(TestVocabularies.testData(name + ".inp")).split("\n__ggml_vocab_test__\n", -1);
        List<String> expected = new ArrayList<>(Files.readString(TestVocabularies.testData(name + ".out")).lines().toList());
        assertThat(expected.size()).isGreaterThanOrEqualTo(40);
        for (int i = 0; i < expected.size(); i++) {
            StringBuilder line = new StringBuilder();
            for (int id : tokenizer.encode(texts[i], SpecialTokens.RECOGNISE)) {
                line.append(' ').append(id);
            }
            assertThat(line.toString().strip()).as("'%s'", texts[i]).isEqualTo(expected.get(i).strip());
        }
    }

    private static JsonNode smallCases(String pre) {
        return read("tokenizer_cases.json").path(pre);
    }

    private static Tokenizer smallTokenizer(JsonNode cases, Normalization normalization) {
        return Tokenizer.from(metadata(cases.path("vocabulary_of").asString()), normalization);
    }

    private static Tokenizer realTokenizer(PreTokenizer pre, Normalization normalization) {
        return GgufTokenizerFactory.create(metadata("tokenizer/qwen3-vocab.gguf"), pre, normalization);
    }

    private static GgufMetadata metadata(String name) {
        return TestVocabularies.metadata(TestVocabularies.testData(name));
    }

    private static JsonNode read(String name) {
        Path file = TestVocabularies.testData(name);
        return JSON.readTree(file.toFile());
    }

    private static int[] ids(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).mapToInt(JsonNode::asInt).toArray();
    }
}

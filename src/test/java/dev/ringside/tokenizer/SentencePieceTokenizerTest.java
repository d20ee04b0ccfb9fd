package dev.ringside.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gguf.GgufWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SentencePieceTokenizerTest {

    private static final int A = PieceVocabulary.FIRST + 1;

    @TempDir
    private Path directory;

    /** Ids from 259: the space, a, b, ab, bb, space+a, &lt;turn&gt; (control), &lt;tool&gt; (user-defined). */
    private static PieceVocabulary letters() {
        return new PieceVocabulary().piece("\u2581", -5).piece("a", -5).piece("b", -5).piece("ab", -2).piece("bb", -1).piece("\u2581a", -3)
                .control("<turn>")
                .userDefined("<tool>");
    }

    @Test
    void storiesPromptHasTheReferencedIds() {
        Tokenizer tokenizer = stories();
        assertThat(tokenizer.encode("Once upon a time", SpecialTokens.AS_TEXT)).containsExactly(403, 407, 261, 378);
        assertThat(tokenizer.bosToken()).hasValue(1);
        assertThat(tokenizer.addsBosToken()).isTrue();
        assertThat(tokenizer.addsEosToken()).isFalse();
        assertThat(tokenizer.eosToken()).isEqualTo(2);
        assertThat(tokenizer.isEndOfGeneration(2)).isTrue();
        assertThat(tokenizer.vocabularySize()).isEqualTo(512);
    }

    @Test
    void bestPieceIsMergedFirstAndNotTheLeftmost() {
        Tokenizer tokenizer = letters().tokenizer(directory);
        assertThat(tokenizer.encode("abb", SpecialTokens.AS_TEXT)).containsExactly(id(tokenizer, " a"), id(tokenizer, "bb"));
        assertThat(tokenizer.encode("bab", SpecialTokens.AS_TEXT)).containsExactly(id(tokenizer, " "), id(tokenizer, "b"),
                id(tokenizer, "ab"));
    }

    @Test
    void equallyGoodPiecesAreMergedFromTheLeft() {
        Tokenizer tokenizer = new PieceVocabulary().piece("a", -5).piece("b", -5).piece("ab", -1).piece("ba", -1).piece("\u2581", -5)
                .tokenizer(directory);
        assertThat(tokenizer.encode("aba", SpecialTokens.AS_TEXT)).endsWith(id(tokenizer, "ab"), id(tokenizer, "a"));
        assertThat(tokenizer.encode("bab", SpecialTokens.AS_TEXT)).endsWith(id(tokenizer, "ba"), id(tokenizer, "b"));
    }

    @Test
    void aSpaceIsPutInFrontUnlessTheFileSaysNo() {
        assertThat(letters().tokenizer(directory).encode("a", SpecialTokens.AS_TEXT)).containsExactly(A + 4);
        Tokenizer without = PieceVocabulary.tokenizer(letters().writer().putBool("tokenizer.ggml.add_space_prefix", false), directory);
        assertThat(without.encode("a", SpecialTokens.AS_TEXT)).containsExactly(A);
        assertThat(without.addsSpacePrefix()).isFalse();
    }

    @Test
    void emptyTextHasNoTokens() {
        assertThat(letters().tokenizer(directory).encode("", SpecialTokens.RECOGNISE)).isEmpty();
    }

    @Test
    void unknownCharactersBecomeTheirBytes() {
        Tokenizer tokenizer = letters().tokenizer(directory);
        assertThat(tokenizer.encode("\u20AC\n", SpecialTokens.AS_TEXT)).containsExactly(259, 3 + 0xE2, 3 + 0x82, 3 + 0xAC, 3 + '\n');
        assertThat(tokenizer.tokenBytes(3 + 0xE2)).containsExactly(0xE2);
        assertThat(tokenizer.isControl(3 + 0xE2)).isFalse();
    }

    @Test
    void byteTokensJoinToCharactersInTheStream() {
        TokenStreamDecoder decoder = new TokenStreamDecoder(letters().tokenizer(directory));
        assertThat(decoder.append(3 + 0xE2)).isEmpty();
        assertThat(decoder.append(3 + 0x82)).isEmpty();
        assertThat(decoder.append(3 + 0xAC)).isEqualTo("\u20AC");
        assertThat(decoder.append(A + 4)).isEqualTo(" a");
    }

    @Test
    void leadingSpaceIsDroppedFromWholeTextsAndKeptInContinuations() {
        Tokenizer tokenizer = letters().tokenizer(directory);
        TokenStreamDecoder whole = TokenStreamDecoder.forWholeText(tokenizer);
        assertThat(whole.append(1) + whole.append(A + 4) + whole.append(A + 4) + whole.flush()).isEqualTo("a a");
        assertThat(whole.append(A + 4)).isEqualTo("a");
        assertThat(new TokenStreamDecoder(tokenizer).append(A + 4)).isEqualTo(" a");
    }

    @Test
    void specialTokensInUserTextAreOrdinaryCharacters() {
        Tokenizer tokenizer = letters().tokenizer(directory);
        String text = "<s>a</s><turn><tool>";
        int[] ids = tokenizer.encode(text, SpecialTokens.AS_TEXT);
        assertThat(ids).doesNotContain(1, 2, id(tokenizer, "<turn>"), id(tokenizer, "<tool>"));
        assertThat(decode(tokenizer, ids)).isEqualTo(text);
    }

    @Test
    void specialTokensInTemplateTextAreRecognisedAndASpaceFollowsThem() {
        Tokenizer tokenizer = letters().tokenizer(directory);
        int turn = id(tokenizer, "<turn>");
        assertThat(tokenizer.encode("<s>a<turn><tool>b", SpecialTokens.RECOGNISE)).containsExactly(1, A + 4, turn, turn + 1, 259, A + 1);
        assertThat(tokenizer.encode(List.of(new TextSpan("<turn>", true), new TextSpan("<s>", false), new TextSpan("<turn>", true))))
                .startsWith(turn, 259)
                .endsWith(turn).doesNotContain(1);
    }

    @Test
    void controlTokensAreNeverTheResultOfMerges() {
        Tokenizer tokenizer = new PieceVocabulary().piece("<", -1).piece("s", -1).piece(">", -1).piece("s>", 0).piece("\u2581", -9)
                .tokenizer(directory);
        assertThat(tokenizer.encode("<s>", SpecialTokens.AS_TEXT)).containsExactly(id(tokenizer, " "), id(tokenizer, "<"),
                id(tokenizer, "s>"));
    }

    @Test
    void theMarkOfASpaceIsASpace() {
        Tokenizer tokenizer = letters().tokenizer(directory);
        assertThat(tokenizer.encode("b\u2581a", SpecialTokens.AS_TEXT)).containsExactly(tokenizer.encode("b a", SpecialTokens.AS_TEXT));
        assertThat(tokenizer.piece(A + 4)).isEqualTo(" a");
        assertThat(tokenizer.idOf(" a")).hasValue(A + 4);
        assertThat(tokenizer.idOf("\n")).hasValue(3 + '\n');
    }

    @Test
    void textIsNotNormalisedUnlessAsked() {
        Path file = directory.resolve("v.gguf");
        letters().piece("\u00E9", -1).writer().write(file);
        assertThat(Tokenizer.from(TestVocabularies.metadata(file)).encode("e\u0301", SpecialTokens.AS_TEXT)).containsExactly(259, 3 + 'e',
                3 + 0xCC, 3 + 0x81);
        assertThat(Tokenizer.from(TestVocabularies.metadata(file), Normalization.NFC).encode("e\u0301", SpecialTokens.AS_TEXT)).hasSize(2);
    }

    @Test
    void filesSayWhetherBosAndEosAreAdded() {
        Tokenizer tokenizer = PieceVocabulary
                .tokenizer(letters().writer().putBool("tokenizer.ggml.add_bos_token", false).putBool("tokenizer.ggml.add_eos_token", true),
                        directory);
        assertThat(tokenizer.addsBosToken()).isFalse();
        assertThat(tokenizer.addsEosToken()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anyTextIsMergedAsTheDefinitionSays(boolean spacesWithinPieces) {
        long seed = Long.getLong("ringside.test.seed", 5L);
        Random random = new Random(seed);
        for (int round = 0; round < 40; round++) {
            Map<String, Float> scores = randomPieces(random, spacesWithinPieces);
            PieceVocabulary vocabulary = new PieceVocabulary();
            scores.forEach((piece, score) -> vocabulary.piece(piece.replace(' ', '\u2581'), score));
            Tokenizer tokenizer = vocabulary.tokenizer(directory);
            for (int i = 0; i < 20; i++) {
                String text = word(random, random.nextInt(60), "abc ");
                int[] expected = NaivePieces.encode(" " + text, scores).stream().mapToInt(piece -> id(tokenizer, piece)).toArray();
                assertThat(tokenizer.encode(text, SpecialTokens.AS_TEXT)).as("seed %d, round %d, '%s' with %s", seed, round, text, scores)
                        .containsExactly(text.isEmpty() ? new int[0] : expected);
            }
        }
    }

    /** Few distinct scores, so that many pieces are equally good. */
    private static Map<String, Float> randomPieces(Random random, boolean spacesWithinPieces) {
        Map<String, Float> scores = new LinkedHashMap<>();
        for (String single : List.of("a", "b", "c", " ")) {
            scores.put(single, -100f);
        }
        for (int i = 0; i < 40; i++) {
            String piece = word(random, 2 + random.nextInt(4), "abc ");
            if (spacesWithinPieces || piece.stripLeading().indexOf(' ') < 0) {
                scores.put(piece, (float) random.nextInt(4) - 2);
            }
        }
        return scores;
    }

    private static String word(Random random, int length, String alphabet) {
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < length; i++) {
            word.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return word.toString();
    }

    @Test
    void scoresThatAreNoNumbersAreRefused() {
        assertThatThrownBy(() -> letters().piece("x", Float.NaN).tokenizer(directory)).isInstanceOf(TokenizerException.class)
                .hasMessageContaining("tokenizer.ggml.scores[267] is NaN");
    }

    @Test
    void scoresOfAnotherCountAreRefused() {
        GgufWriter writer = letters().writer().putF32s("tokenizer.ggml.scores", 1, 2);
        assertThatThrownBy(() -> PieceVocabulary.tokenizer(writer, directory)).isInstanceOf(TokenizerException.class)
                .hasMessageContaining("has 2 entries");
    }

    @Test
    void vocabulariesWithoutBytesAreRefused() {
        GgufWriter writer = GgufWriter.of("llama").putString("tokenizer.ggml.model", "llama")
                .putStrings("tokenizer.ggml.tokens", List.of("<unk>", "a"))
                .putF32s("tokenizer.ggml.scores", 0, 0).putU32("tokenizer.ggml.eos_token_id", 0);
        assertThatThrownBy(() -> PieceVocabulary.tokenizer(writer, directory)).isInstanceOf(TokenizerException.class)
                .hasMessageContaining("byte fallback");
    }

    private static Tokenizer stories() {
        return Tokenizer.from(TestVocabularies.metadata(TestVocabularies.testData("stories260k/stories260K-dense.gguf")));
    }

    private static int id(Tokenizer tokenizer, String token) {
        return tokenizer.idOf(token).orElseThrow();
    }

    private static String decode(Tokenizer tokenizer, int[] ids) {
        TokenStreamDecoder decoder = TokenStreamDecoder.forWholeText(tokenizer);
        StringBuilder text = new StringBuilder();
        for (int id : ids) {
            text.append(decoder.append(id));
        }
        return text.append(decoder.flush()).toString();
    }
}

package dev.ringside.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gguf.GgufWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which tokens end a generation beside the one that the file names. */
class EndTokensTest {

    private static final int FIRST = 256;

    @TempDir
    Path directory;

    @Test
    void callsAndReturnsOfGptOssEndButItsMessagesDoNot() {
        Tokenizer tokenizer = tokenizer("<|endoftext|>", "<|return|>", "<|call|>", "<|end|>", "<|start|>");

        assertThat(tokenizer.isEndOfGeneration(FIRST + 1)).as("<|return|>").isTrue();
        assertThat(tokenizer.isEndOfGeneration(FIRST + 2)).as("<|call|>").isTrue();
        assertThat(tokenizer.isEndOfGeneration(FIRST + 3)).as("<|end|>: another message may follow").isFalse();
        assertThat(tokenizer.isEndOfGeneration(FIRST + 4)).as("<|start|>").isFalse();
    }

    private Tokenizer tokenizer(String... control) {
        List<String> tokens = new ArrayList<>();
        for (int value = 0; value < FIRST; value++) {
            tokens.add(letterOf(value));
        }
        tokens.addAll(List.of(control));
        int[] types = new int[tokens.size()];
        Arrays.fill(types, 0, FIRST, 1);
        Arrays.fill(types, FIRST, types.length, 3);
        return PieceVocabulary.tokenizer(GgufWriter.of("llama").putString("tokenizer.ggml.model", "gpt2")
                .putString("tokenizer.ggml.pre", "llama-bpe").putStrings("tokenizer.ggml.tokens", tokens)
                .putI32s("tokenizer.ggml.token_type", types).putStrings("tokenizer.ggml.merges", List.of())
                .putU32("tokenizer.ggml.eos_token_id", FIRST), directory);
    }

    private static String letterOf(int value) {
        for (char c = 0; c < 0x144; c++) {
            if (ByteAlphabet.byteOf(c) == value) {
                return Character.toString(c);
            }
        }
        throw new AssertionError(value);
    }
}

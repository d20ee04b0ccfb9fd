package dev.ringside.tokenizer;

import dev.ringside.gguf.GgufWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A small SentencePiece vocabulary: unknown, BOS, EOS, 256 bytes (ids 3 to 258), then what is added. */
final class PieceVocabulary {

    static final int FIRST = 259;

    private static final int NORMAL = 1;
    private static final int CONTROL = 3;
    private static final int USER_DEFINED = 4;
    private static final int BYTE = 6;

    private final List<String> tokens = new ArrayList<>(List.of("<unk>", "<s>", "</s>"));
    private final List<Integer> types = new ArrayList<>(List.of(2, CONTROL, CONTROL));
    private final List<Float> scores = new ArrayList<>(List.of(0f, 0f, 0f));

    PieceVocabulary() {
        for (int value = 0; value < 256; value++) {
            add(String.format("<0x%02X>", value), BYTE, 0);
        }
    }

    PieceVocabulary piece(String piece, float score) {
        return add(piece, NORMAL, score);
    }

    PieceVocabulary control(String token) {
        return add(token, CONTROL, 0);
    }

    PieceVocabulary userDefined(String token) {
        return add(token, USER_DEFINED, 0);
    }

    private PieceVocabulary add(String token, int type, float score) {
        tokens.add(token);
        types.add(type);
        scores.add(score);
        return this;
    }

    GgufWriter writer() {
        float[] allScores = new float[scores.size()];
        for (int i = 0; i < allScores.length; i++) {
            allScores[i] = scores.get(i);
        }
        return GgufWriter.of("llama").putString("tokenizer.ggml.model", "llama").putStrings("tokenizer.ggml.tokens", tokens)
                .putF32s("tokenizer.ggml.scores", allScores)
                .putI32s("tokenizer.ggml.token_type", types.stream().mapToInt(Integer::intValue).toArray())
                .putU32("tokenizer.ggml.bos_token_id", 1).putU32("tokenizer.ggml.eos_token_id", 2);
    }

    Tokenizer tokenizer(Path directory) {
        return tokenizer(writer(), directory);
    }

    static Tokenizer tokenizer(GgufWriter writer, Path directory) {
        Path file = newFolder(directory).resolve("vocabulary.gguf");
        writer.write(file);
        return Tokenizer.from(TestVocabularies.metadata(file));
    }

    private static Path newFolder(Path directory) {
        try {
            return Files.createTempDirectory(directory, "vocabulary");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

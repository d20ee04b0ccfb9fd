package dev.ringside.tokenizer;

import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.GgufMetadata;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** Vocabularies for tests: the demo model's, always there, and those of the public test data. */
final class TestVocabularies {

    private static final Path DEMO = Path.of("src/main/resources/models/ringside-demo.gguf");

    private TestVocabularies() {}

    static Tokenizer demo() {
        return demo(Normalization.NFC);
    }

    static Tokenizer demo(Normalization normalization) {
        return Tokenizer.from(metadata(DEMO), normalization);
    }

    static List<String> demoMerges() {
        return metadata(DEMO).getStrings("tokenizer.ggml.merges");
    }

    static GgufMetadata demoMetadata() {
        return metadata(DEMO);
    }

    /** A file of the public test data; the test is skipped without it. */
    static Path testData(String name) {
        @Nullable String directory = System.getenv("RINGSIDE_TESTDATA");
        Assumptions.assumeTrue(directory != null && !directory.isEmpty(), "RINGSIDE_TESTDATA is not set");
        return Path.of(directory).resolve(name);
    }

    static GgufMetadata metadata(Path file) {
        try (GgufFile gguf = GgufFile.open(file)) {
            return gguf.metadata();
        }
    }
}

package dev.ringside.gguf;

import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** The directory of large fixtures; tests that ask for it are skipped where it is not given. */
final class Fixtures {

    private Fixtures() {}

    static Path directory() {
        String directory = System.getenv("RINGSIDE_TESTDATA");
        Assumptions.assumeTrue(directory != null && !directory.isBlank(), "RINGSIDE_TESTDATA is not set");
        return Path.of(String.valueOf(directory));
    }
}

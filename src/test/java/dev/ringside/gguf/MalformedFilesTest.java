package dev.ringside.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every file of the malformed fixtures gets the verdict and the mention of its list, as far as the container goes. */
class MalformedFilesTest {

    /** Sound containers of models that make no sense: the container opens, the model loader refuses them. */
    private static final Set<String> LEFT_TO_THE_MODEL = Set.of("unknown-architecture.gguf", "q38-architecture.gguf",
            "missing-required-key.gguf",
            "key-wrong-type.gguf", "zero-heads.gguf", "heads-not-divisible.gguf", "topk-above-experts.gguf", "block-count-too-large.gguf",
            "eos-out-of-range.gguf", "missing-tensor.gguf", "expert-count-mismatch.gguf", "wrong-shape.gguf", "vocabulary-mismatch.gguf");

    @TestFactory
    List<DynamicTest> filesGetTheVerdictOfTheList() throws IOException {
        Path directory = Fixtures.directory().resolve("malformed");
        List<DynamicTest> tests = new ArrayList<>();
        List<String> lines = Files.readAllLines(directory.resolve("expect.tsv"));
        for (String line : lines.subList(1, lines.size())) {
            String[] columns = line.split("\t", -1);
            boolean loads = columns[1].equals("load") || LEFT_TO_THE_MODEL.contains(columns[0]);
            String mention = columns[2].equals("-") ? "" : columns[2];
            tests.add(DynamicTest.dynamicTest(columns[0], () -> check(directory.resolve(columns[0]), loads, mention)));
        }
        assertThat(tests).hasSizeGreaterThan(LEFT_TO_THE_MODEL.size());
        return tests;
    }

    private static void check(Path file, boolean loads, String mention) {
        Throwable thrown = catchThrowable(() -> GgufFile.open(file).close());
        if (loads) {
            assertThat(thrown).isNull();
        } else {
            assertThat(thrown).isInstanceOf(GgufException.class).hasMessageContaining(file.getFileName().toString());
            String problem = thrown.getMessage().substring(file.toString().length());
            assertThat(problem).contains(mention);
        }
    }
}

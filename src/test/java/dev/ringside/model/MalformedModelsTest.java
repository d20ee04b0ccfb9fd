package dev.ringside.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.gguf.GgufException;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.host.HostBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Files with one fault each, from the reader to the loader: every one is refused with a message that names the fault, or loads. */
class MalformedModelsTest {

    @TestFactory
    Stream<DynamicTest> everyFileGivesItsExpectedOutcome() throws IOException {
        Path list = Reference.testData("malformed/expect.tsv");
        List<String[]> cases = Files.readAllLines(list).stream().filter(line -> !line.startsWith("#") && !line.isBlank())
                .map(line -> line.split("\t")).filter(fields -> fields[0].endsWith(".gguf")).toList();
        assertThat(cases).hasSizeGreaterThan(50);
        return cases.stream().map(fields -> DynamicTest.dynamicTest(fields[0], () -> check(list.resolveSibling(fields[0]), fields)));
    }

    private static void check(Path file, String[] fields) {
        if (fields[1].equals("load")) {
            try (ModelHarness harness = new ModelHarness(file, 4, 1, KvType.F32, Experts.allResident())) {
                for (float[] logits : harness.run(new int[] {1, 2, 3, 4, 5}, 4)) {
                    assertThat(Reference.maxDifference(logits, logits)).isZero();
                }
            }
            return;
        }
        assertThatThrownBy(() -> load(file)).isInstanceOfAny(GgufException.class, ModelException.class).hasMessageContaining(fields[2])
                .hasMessageContaining(file.getFileName().toString());
    }

    private static void load(Path path) {
        try (GgufFile file = GgufFile.open(path); GpuBackend backend = HostBackend.create(1)) {
            ModelLoader.load(file, backend, new ModelOptions(4, 4, KvType.F16, 64, Experts.allResident())).close();
        }
    }
}

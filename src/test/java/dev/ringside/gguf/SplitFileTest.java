package dev.ringside.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SplitFileTest {

    @TempDir
    Path directory;

    private static GgufWriter model() {
        return GgufWriter.of("qwen3moe").tensor("a", new long[] {1}, 1).tensor("b", new long[] {1}, 2).tensor("c", new long[] {1}, 3);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void anyPartOpensTheWholeModel(int given) {
        List<Path> parts = model().writeSplit(directory, "m", 0, 2, 1);
        try (GgufFile file = GgufFile.open(parts.get(given))) {
            assertThat(file.shards()).isEqualTo(parts);
            assertThat(file.architecture()).isEqualTo("qwen3moe");
            assertThat(file.tensors()).extracting(TensorInfo::shard).containsExactly(1, 1, 2);
            assertThat(file.tensors()).extracting(t -> file.data(t).get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0)).containsExactly(1f, 2f, 3f);
        }
    }

    @Test
    void aMissingPartIsNamed() throws IOException {
        List<Path> parts = model().writeSplit(directory, "m", 1, 1, 1);
        Files.delete(parts.get(2));
        assertRefused(parts.get(1), "m-00003-of-00003.gguf", "missing");
    }

    @Test
    void aRenamedPartIsNamedAsMissing() throws IOException {
        List<Path> parts = model().writeSplit(directory, "m", 1, 1, 1);
        Files.move(parts.get(0), directory.resolve("first.gguf"));
        assertRefused(parts.get(1), "m-00001-of-00003.gguf", "missing");
    }

    @Test
    void aPartOpenedUnderAnotherNameSaysWhichPartItIs() throws IOException {
        List<Path> parts = model().writeSplit(directory, "m", 1, 1, 1);
        Files.move(parts.get(1), directory.resolve("second.gguf"));
        assertRefused(directory.resolve("second.gguf"), "part 2 of 3", "rename");
    }

    @Test
    void swappedPartsAreNamed() throws IOException {
        List<Path> parts = model().writeSplit(directory, "m", 1, 1, 1);
        Path aside = directory.resolve("aside");
        Files.move(parts.get(1), aside);
        Files.move(parts.get(2), parts.get(1));
        Files.move(aside, parts.get(2));
        assertRefused(parts.get(0), "m-00002-of-00003.gguf", "split.no", "part 3", "swapped");
    }

    @Test
    void aPartOfASplitIntoAnotherNumberIsRefused() throws IOException {
        List<Path> parts = model().writeSplit(directory, "m", 1, 2);
        List<Path> others = model().writeSplit(directory, "n", 1, 1, 1);
        Files.move(others.get(1), parts.get(1), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertRefused(parts.get(0), "split.count", "expected 2", "found 3");
    }

    @Test
    void aCompleteFileNamedLikeAPartIsRefused() {
        List<Path> parts = List.of(directory.resolve("m-00001-of-00002.gguf"), directory.resolve("m-00002-of-00002.gguf"));
        parts.forEach(part -> model().write(part));
        assertRefused(parts.get(0), "split.count", "rename");
    }

    @Test
    void aCompleteFileNamedAsTheOnlyPartIsFine() {
        try (GgufFile file = GgufFile.open(model().write(directory.resolve("m-00001-of-00001.gguf")))) {
            assertThat(file.tensors()).hasSize(3);
        }
    }

    @Test
    void theSameTensorInTwoPartsIsNamed() {
        List<Path> parts = model().tensor("a", new long[] {1}, 4).writeSplit(directory, "m", 2, 2);
        assertRefused(parts.get(1), "duplicate", "tensor 'a'", "m-00001-of-00002.gguf", "m-00002-of-00002.gguf");
    }

    @Test
    void aKeyWithAnotherValueInALaterPartIsNamed() throws IOException {
        List<Path> parts = model().writeSplit(directory, "m", 3, 0);
        Files.delete(parts.get(1));
        GgufWriter.of("qwen3next").putU16("split.no", 1).putU16("split.count", 2).putI32("split.tensors.count", 3).write(parts.get(1));
        assertRefused(parts.get(0), "duplicate", "general.architecture", "qwen3next");
    }

    @Test
    void aWrongTotalOfTensorsIsNamed() throws IOException {
        List<Path> parts = model().writeSplit(directory, "m", 1, 2);
        Files.delete(parts.get(1));
        new GgufWriter().putU16("split.no", 1).putU16("split.count", 2).putI32("split.tensors.count", 3).tensor("b", new long[] {1}, 2)
                .write(parts.get(1));
        assertRefused(parts.get(0), "split.tensors.count", "3", "2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"m-00000-of-00003.gguf", "m-00004-of-00003.gguf", "m-0001-of-00003.gguf", "m-00001-of-0000x.gguf",
        "m_00001-of-00003.gguf",
        "00001-of-00003.gguf", "m-00001-of-00003.bin", ".gguf", "m-00001_of-00003.gguf"})
    void namesOutsideThePatternAreSingleFiles(String name) {
        assertThat(SplitName.parse(Path.of(name))).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen3moe-q8_0-00001-of-00003.gguf", "qwen3moe-q8_0-00002-of-00003.gguf", "qwen3moe-q8_0-00003-of-00003.gguf"})
    void theSplitFixtureHoldsTheTensorsOfTheWholeFile(String name) {
        Path data = Fixtures.directory();
        try (GgufFile split = GgufFile.open(data.resolve("split").resolve(name));
                GgufFile whole = GgufFile.open(data.resolve("qwen3moe").resolve("q8_0.gguf"))) {
            assertThat(split.tensors()).hasSameSizeAs(whole.tensors());
            for (TensorInfo tensor : whole.tensors()) {
                assertThat(split.data(split.require(tensor.name())).mismatch(whole.data(tensor))).as(tensor.name()).isEqualTo(-1);
            }
        }
    }

    private static void assertRefused(Path path, String... mentions) {
        assertThatThrownBy(() -> GgufFile.open(path).close()).isInstanceOf(GgufException.class).message().contains(mentions);
    }
}

package dev.ringside.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GgufFileTest {

    @TempDir
    Path directory;

    private GgufWriter small() {
        return GgufWriter.of("qwen3moe").tensor("a", new long[] {3}, 1, 2, 3).tensor("b", new long[] {2, 2}, 4, 5, 6, 7);
    }

    @Test
    void showsTensorsInTheOrderOfTheFile() {
        try (GgufFile file = GgufFile.open(small().write(directory.resolve("m.gguf")))) {
            assertThat(file.architecture()).isEqualTo("qwen3moe");
            assertThat(file.version()).isEqualTo(3);
            assertThat(file.tensors()).extracting(TensorInfo::name).containsExactly("a", "b");
            assertThat(file.shards()).containsExactly(file.path());
            assertThat(file.totalTensorBytes()).isEqualTo(28);
        }
    }

    @Test
    void givesExactlyTheBytesOfATensor() {
        try (GgufFile file = GgufFile.open(small().write(directory.resolve("m.gguf")))) {
            var data = file.data(file.require("b"));
            assertThat(data.byteSize()).isEqualTo(16);
            assertThat(data.isReadOnly()).isTrue();
            assertThat(data.toArray(ValueLayout.JAVA_FLOAT_UNALIGNED)).containsExactly(4, 5, 6, 7);
        }
    }

    @Test
    void tellsShapeRowsAndRowLength() {
        try (GgufFile file = GgufFile
                .open(GgufWriter.of("x").hole("e", GgmlType.Q4_K, 512, 6, 4).write(directory.resolve("m.gguf")))) {
            TensorInfo tensor = file.require("e");
            assertThat(tensor.shape()).isEqualTo("{512, 6, 4}");
            assertThat(tensor.rowLength()).isEqualTo(512);
            assertThat(tensor.rows()).isEqualTo(24);
            assertThat(tensor.elements()).isEqualTo(12288);
            assertThat(tensor.rowBytes()).isEqualTo(288);
            assertThat(tensor.matrixBytes()).isEqualTo(6 * 288);
            assertThat(tensor.dimension(3)).isEqualTo(1);
            assertThat(tensor.byteSize()).isEqualTo(24 * 288);
        }
    }

    @Test
    void honoursAnotherAlignment() {
        try (GgufFile file = GgufFile.open(small().alignment(4096).write(directory.resolve("m.gguf")))) {
            assertThat(file.tensors()).allMatch(tensor -> tensor.fileOffset() % 4096 == 0);
            assertThat(file.data(file.require("a")).get(ValueLayout.JAVA_FLOAT_UNALIGNED, 8)).isEqualTo(3);
        }
    }

    @Test
    void readsVersionTwo() {
        try (GgufFile file = GgufFile.open(small().version(2).write(directory.resolve("m.gguf")))) {
            assertThat(file.version()).isEqualTo(2);
        }
    }

    @Test
    void namesAMissingTensor() {
        try (GgufFile file = GgufFile.open(small().write(directory.resolve("m.gguf")))) {
            assertThat(file.find("c")).isNull();
            assertThatThrownBy(() -> file.require("c")).isInstanceOfSatisfying(GgufException.class, e -> {
                assertThat(e.subject()).isEqualTo("tensor 'c'");
                assertThat(e.file()).isEqualTo(file.path());
                assertThat(e).hasMessageContaining("m.gguf").hasMessageContaining("missing");
            });
        }
    }

    @Test
    void namesAMissingFile() {
        assertThatThrownBy(() -> GgufFile.open(directory.resolve("none.gguf"))).isInstanceOf(GgufException.class)
                .hasMessageContaining("none.gguf").hasMessageContaining("no such file");
    }

    @Test
    void refusesADirectory() {
        assertThatThrownBy(() -> GgufFile.open(directory)).isInstanceOf(GgufException.class).hasMessageContaining("directory");
    }

    @Test
    void closingTwiceIsHarmless() {
        GgufFile file = GgufFile.open(small().write(directory.resolve("m.gguf")));
        file.close();
        file.close();
        assertThat(file.metadata().getString("general.architecture")).isEqualTo("qwen3moe");
    }

    @Test
    void dataIsUnreachableAfterClosing() {
        GgufFile file = GgufFile.open(small().write(directory.resolve("m.gguf")));
        var data = file.data(file.require("a"));
        file.close();
        assertThatThrownBy(() -> data.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void mapsTensorsBeyondTwoGibibytes() throws IOException {
        var store = Files.getFileStore(directory);
        Assumptions.assumeTrue(Set.of("ext4", "ext3", "xfs", "btrfs", "f2fs", "zfs", "tmpfs", "overlay", "apfs").contains(store.type()),
                "no sparse files on " + store.type());
        Path path = GgufWriter.of("x").hole("big", GgmlType.F32, 1 << 20, 800).tensor("last", new long[] {2}, 8, 9)
                .write(directory.resolve("m.gguf"));
        assertThat(Files.size(path)).isGreaterThan(3L << 30);
        try (GgufFile file = GgufFile.open(path)) {
            TensorInfo last = file.require("last");
            assertThat(last.fileOffset()).isGreaterThan(1L << 31);
            assertThat(file.data(last).toArray(ValueLayout.JAVA_FLOAT_UNALIGNED)).containsExactly(8, 9);
            assertThat(file.data(file.require("big")).get(ValueLayout.JAVA_BYTE, (3L << 30) + 5)).isZero();
        }
    }

    @Test
    void aVocabularyOfAQuarterMillionIsReadInOrder() {
        List<String> tokens = java.util.stream.IntStream.range(0, 250_000).mapToObj(i -> "tok" + i).toList();
        Path path = GgufWriter.of("x").putStrings("tokenizer.ggml.tokens", tokens).write(directory.resolve("m.gguf"));
        try (GgufFile file = GgufFile.open(path)) {
            assertThat(file.metadata().getStrings("tokenizer.ggml.tokens")).isEqualTo(tokens);
        }
    }
}

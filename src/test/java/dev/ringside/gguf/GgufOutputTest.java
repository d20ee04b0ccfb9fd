package dev.ringside.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GgufOutputTest {

    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("out.gguf");
    }

    private static GgufOutputPlan plan() {
        return new GgufOutputPlan("test").tensor("a", GgmlType.Q8_0, 32, 3).tensor("b", GgmlType.F32, 2);
    }

    private static MemorySegment bytes(int count, int value) {
        byte[] bytes = new byte[count];
        Arrays.fill(bytes, (byte) value);
        return MemorySegment.ofArray(bytes);
    }

    private static void write(GgufOutput output, MemorySegment... pieces) throws IOException {
        for (MemorySegment piece : pieces) {
            output.write(piece.isNative() ? piece : copy(piece));
        }
    }

    private static MemorySegment copy(MemorySegment piece) {
        MemorySegment segment = Arena.ofAuto().allocate(piece.byteSize());
        segment.copyFrom(piece);
        return segment;
    }

    @Test
    void what_was_written_is_read_back() throws IOException {
        GgufOutputPlan plan = plan().putInt("n", 7).putFloat("f", 0.5f).putBool("yes", true).putInts("i", new int[] {-1, 2})
                .putLongs("l", new long[] {1L << 45}).putStrings("s", List.of("ä", "")).putStrings("none", List.of());
        try (GgufOutput output = plan.create(file)) {
            write(output, bytes(50, 1), bytes(52, 2), bytes(8, 3));
            output.finish();
        }
        try (GgufFile gguf = GgufFile.open(file)) {
            GgufMetadata metadata = gguf.metadata();
            assertThat(metadata.getString("general.architecture")).isEqualTo("test");
            assertThat(metadata.getInt("n")).isEqualTo(7);
            assertThat(metadata.getFloat("f")).isEqualTo(0.5f);
            assertThat(metadata.getBool("yes")).isTrue();
            assertThat(metadata.getInts("i")).containsExactly(-1, 2);
            assertThat(metadata.getLongs("l")).containsExactly(1L << 45);
            assertThat(metadata.getStrings("s")).containsExactly("ä", "");
            assertThat(metadata.getStrings("none")).isEmpty();
            TensorInfo a = gguf.require("a");
            assertThat(a.dimensions()).containsExactly(32L, 3L);
            assertThat(gguf.data(a).get(ValueLayout.JAVA_BYTE, 101)).isEqualTo((byte) 2);
            assertThat(gguf.data(gguf.require("b")).get(ValueLayout.JAVA_BYTE, 7)).isEqualTo((byte) 3);
        }
        assertThat(Files.size(file)).isEqualTo(plan.fileBytes());
        assertThat(directory.toFile().list()).containsExactly("out.gguf");
    }

    @Test
    void an_unfinished_file_leaves_nothing_behind_and_the_old_one_as_it_was() throws IOException {
        Files.writeString(file, "old");
        try (GgufOutput output = plan().create(file)) {
            write(output, bytes(102, 1));
            assertThatIllegalStateException().isThrownBy(output::finish).withMessageContaining("'b' lacks 8 of its 8 bytes");
        }
        assertThat(file).hasContent("old");
        assertThat(directory.toFile().list()).containsExactly("out.gguf");
    }

    @Test
    void a_piece_does_not_reach_into_the_next_tensor() throws IOException {
        try (GgufOutput output = plan().create(file)) {
            assertThatIllegalStateException().isThrownBy(() -> write(output, bytes(103, 1))).withMessageContaining("'a' lacks 102");
            write(output, bytes(102, 1), bytes(8, 1));
            assertThatIllegalStateException().isThrownBy(() -> write(output, bytes(1, 1))).withMessageContaining("all 2 tensors");
        }
    }

    @Test
    void names_are_given_once_and_rows_are_whole_blocks() {
        assertThatIllegalArgumentException().isThrownBy(() -> plan().tensor("a", GgmlType.F32, 1)).withMessageContaining("'a'");
        assertThatIllegalArgumentException().isThrownBy(() -> plan().tensor("c", GgmlType.Q4_K, 640)).withMessageContaining("256");
        assertThatIllegalArgumentException().isThrownBy(() -> plan().putInt("n", 1).putInt("n", 2)).withMessageContaining("'n'");
    }
}

package dev.ringside.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ringside.gpu.cuda.CudaBackend;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What stops the start is told with a remedy. */
class StartupFailureTest {

    private static Path demo;

    @TempDir
    Path directory;

    @BeforeAll
    static void locate() {
        demo = BuiltInModel.standard().locate();
    }

    @Test
    void aMissingFileIsNamedWithItsProperty() {
        StartupException refused = refused("model.path", directory.resolve("nothing.gguf").toString());

        assertThat(refused).hasMessageContaining("nothing.gguf").hasMessageContaining("does not exist")
                .hasMessageContaining("ringside.model.path");
        assertThat(refused.action()).contains("RINGSIDE_MODEL_PATH");
    }

    @Test
    void aDirectoryIsNoModel() {
        assertThat(refused("model.path", directory.toString())).hasMessageContaining(directory.toString());
    }

    @Test
    void aTruncatedFileIsNamed() throws IOException {
        Path truncated = Files.write(directory.resolve("half.gguf"), Arrays.copyOf(Files.readAllBytes(demo), 9_000_000));

        StartupException refused = refused("model.path", truncated.toString());

        assertThat(refused).hasMessageContaining("half.gguf");
        assertThat(refused.action()).contains("download");
    }

    @Test
    void anotherKindOfFileIsNamed() throws IOException {
        Path text = Files.writeString(directory.resolve("notes.gguf"), "These are notes, not weights. ".repeat(10));

        assertThat(refused("model.path", text.toString())).hasMessageContaining("notes.gguf");
    }

    @Test
    void anUnknownArchitectureIsNamedWithTheKnownOnes() throws IOException {
        byte[] bytes = Files.readAllBytes(demo);
        byte[] name = "qwen4exp".getBytes(StandardCharsets.US_ASCII);
        int at = indexOf(bytes, name);
        bytes[at + name.length - 1] = 'q';
        Path unknown = Files.write(directory.resolve("unknown.gguf"), bytes);

        StartupException refused = refused("model.path", unknown.toString());

        assertThat(refused).hasMessageContaining("qwen4exq").hasMessageContaining("qwen4exp");
        assertThat(refused.action()).contains("docs/models.md");
    }

    @Test
    void aContextBeyondTheModelsIsRefusedWithTheLimit() {
        InvalidSettingException refused = catchThrowableOfType(InvalidSettingException.class,
                () -> OpenedRuntime.open("model.context-length", "5000"));

        assertThat(refused).hasMessageContaining("ringside.model.context-length").hasMessageContaining("5000").hasMessageContaining("4096");
    }

    @Test
    void cudaIsRefusedWhereThereIsNoDevice() {
        assumeTrue(CudaBackend.obstacle() != null, "There is a CUDA device here");
        InvalidSettingException refused = catchThrowableOfType(InvalidSettingException.class,
                () -> OpenedRuntime.open("gpu.backend", "cuda"));

        assertThat(refused).hasMessageContaining("ringside.gpu.backend").hasMessageContaining("there is no ");
    }

    @Test
    void stateMemoryBelowOneSequenceIsRefusedWithTheBytesNeeded() {
        assertThat(refused("state.memory-bytes", "1MB")).hasMessageContaining("ringside.state.memory-bytes").hasMessageContaining("bytes)");
    }

    @Test
    void pagesThatTheModelCannotUseAreRefusedByName() {
        assertThat(refused("kv.page-tokens", "3")).hasMessageContaining("ringside.kv.page-tokens");
    }

    private static StartupException refused(String property, String value) {
        StartupException refused = catchThrowableOfType(StartupException.class, () -> OpenedRuntime.open(property, value).close());
        assertThat(refused).isNotNull();
        assertThat(refused.action()).isNotBlank();
        return refused;
    }

    private static int indexOf(byte[] bytes, byte[] part) {
        for (int i = 0; i < bytes.length - part.length; i++) {
            if (Arrays.equals(bytes, i, i + part.length, part, 0, part.length)) {
                return i;
            }
        }
        throw new AssertionError("not found");
    }
}

package dev.ringside.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ringside.expert.ArenaKind;
import dev.ringside.expert.ExpertArenaTooSmallException;
import dev.ringside.expert.ExpertOptions;
import dev.ringside.gguf.GgufException;
import dev.ringside.gguf.GgufFile;
import dev.ringside.gpu.GpuBackend;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.host.HostBackend;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that are valid GGUF but no model that can run: a copy of a good one with a few bytes changed. */
class ModelLoaderErrorsTest {

    @TempDir
    Path directory;

    private byte[] bytes;

    @BeforeEach
    void read() throws IOException {
        bytes = Files.readAllBytes(Reference.resource("qwen4exp/q8_0.gguf"));
    }

    @Test
    void anUnknownArchitectureIsNamedWithTheSupportedOnes() {
        replace("general.architecture", "qwen4exp", "qwen9exp");

        assertThatThrownBy(this::load).isInstanceOf(ModelException.class).hasMessageContainingAll("model.gguf", "'qwen9exp'", "supported:",
                "qwen4exp");
    }

    @ParameterizedTest
    @CsvSource({"attention.head_count,3,multiple of head_count_kv 2", "expert_used_count,13,at most expert_count 12",
        "ssm.time_step_rank,5,multiple of ssm.group_count 2", "rope.dimension_count,15,even number", "embedding_length,0,found 0",
        "attention.value_length,32,expected the key length 64", "nextn_predict_layers,5,fewer draft blocks than block_count 5"})
    void aHyperParameterOutOfRangeIsNamedWithWhatWasExpected(String key, int value, String expected) {
        setInt("qwen4exp." + key, value);

        assertThatThrownBy(this::load).isInstanceOf(ModelException.class).hasMessageContainingAll("'qwen4exp." + key + "'", expected);
    }

    @Test
    void anEndTokenBeyondTheVocabularyIsRefused() {
        setInt("tokenizer.ggml.eos_token_id", 5_000);

        assertThatThrownBy(this::load).isInstanceOf(ModelException.class).hasMessageContainingAll("eos_token_id", "512", "5000");
    }

    @Test
    void aMissingKeyIsNamed() {
        replace("qwen4exp.ssm.group_count", "group", "gr0up");

        assertThatThrownBy(this::load).isInstanceOf(GgufException.class).hasMessageContaining("'qwen4exp.ssm.group_count'");
    }

    @Test
    void aMissingTensorIsNamedWithTheShapeExpected() {
        replace("blk.0.ssm_out.weight", "ssm_out", "ssm_0ut");

        assertThatThrownBy(this::load).isInstanceOf(ModelException.class)
                .hasMessageContainingAll("'blk.0.ssm_out.weight'", "missing", "{192, 64}");
    }

    @Test
    void aMisshapenTensorIsNamedWithBothShapes() {
        int dimensions = find("blk.0.ssm_out.weight") + "blk.0.ssm_out.weight".length() + 4;
        little().putLong(dimensions, 64).putLong(dimensions + 8, 192);

        assertThatThrownBy(this::load).isInstanceOf(ModelException.class)
                .hasMessageContainingAll("'blk.0.ssm_out.weight'", "expected shape {192, 64}", "found {64, 192}");
    }

    @Test
    void theDraftBlockIsNotRunAsALayerOfTheTrunk() throws IOException {
        try (GgufFile file = GgufFile.open(write())) {
            assertThat(Qwen4ExpConfig.read(file).layers().trunk()).isEqualTo(4);
            assertThat(Qwen4ExpConfig.read(file).layers().drafts()).isEqualTo(1);
        }
    }

    @Test
    void anArenaBelowOneStepsExpertsIsRefusedWithTheSizeNeeded() {
        ExpertOptions tiny = Experts.sized("1KB", ArenaKind.AUTO);

        assertThatThrownBy(() -> load(tiny)).isInstanceOf(ExpertArenaTooSmallException.class)
                .hasMessageContainingAll("ringside.experts.arena-bytes", "1KB");
    }

    @Test
    void aFailedLoadLeavesNoMemoryBehind() throws IOException {
        replace("output_hc_up.weight", "hc_up", "hc_0p");
        try (GgufFile file = GgufFile.open(write()); GpuBackend backend = HostBackend.create(1)) {
            assertThatThrownBy(() -> ModelLoader.load(file, backend, options(Experts.allResident()))).isInstanceOf(ModelException.class);
            assertThat(backend.memory().allocatedBytes()).isZero();
            assertThat(backend.memory().pinnedBytes()).isZero();
        }
    }

    private void load() throws IOException {
        load(Experts.allResident());
    }

    private void load(ExpertOptions experts) throws IOException {
        try (GgufFile file = GgufFile.open(write()); GpuBackend backend = HostBackend.create(1)) {
            ModelLoader.load(file, backend, options(experts)).close();
        }
    }

    private static ModelOptions options(ExpertOptions experts) {
        return new ModelOptions(8, 8, KvType.F16, 64, experts);
    }

    private Path write() throws IOException {
        return Files.write(directory.resolve("model.gguf"), bytes);
    }

    /** Changes an integer pair in place. */
    private void setInt(String key, int value) {
        little().putInt(find(key) + key.length() + 4, value);
    }

    /** Replaces the first {@code old} at or behind an anchor by text of the same length. */
    private void replace(String anchor, String old, String text) {
        byte[] replacement = text.getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(replacement, 0, bytes, find(old, find(anchor)), replacement.length);
    }

    private int find(String text) {
        return find(text, 0);
    }

    private int find(String text, int from) {
        int index = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text, from);
        assertThat(index).as(text).isNotNegative();
        return index;
    }

    private ByteBuffer little() {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}

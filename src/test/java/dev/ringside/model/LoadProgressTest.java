package dev.ringside.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gguf.GgufFile;
import dev.ringside.gguf.TensorInfo;
import dev.ringside.gpu.KvType;
import dev.ringside.gpu.host.HostBackend;
import dev.ringside.model.LoadProgress.Phase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoadProgressTest {

    private static List<LoadProgress> load(String model, boolean drafts) {
        List<LoadProgress> seen = new ArrayList<>();
        try (GgufFile file = GgufFile.open(Reference.resource(model + "/q8_0.gguf"));
                HostBackend backend = HostBackend.create(1);
                LoadedModel loaded = ModelLoader.load(file, backend,
                        new ModelOptions(4, 4, KvType.F16, 64, Experts.allResident(), drafts).reporting(seen::add))) {
            assertThat(loaded.model().info().layers()).isPositive();
        }
        return seen;
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen3moe", "qwen3next", "qwen35moe"})
    void everyTensorCountsOnceUntilAllAreInPlace(String model) {
        List<LoadProgress> seen = load(model, true);

        for (int i = 0; i < seen.size(); i++) {
            assertThat(seen.get(i).phase()).isEqualTo(Phase.WEIGHTS);
            assertThat(seen.get(i).done()).as("tensors in place").isEqualTo(i);
        }
        try (GgufFile file = GgufFile.open(Reference.resource(model + "/q8_0.gguf"))) {
            List<TensorInfo> counted = file.tensors().stream().filter(tensor -> !tensor.name().contains("_exps")).toList();
            LoadProgress last = seen.getLast();
            assertThat(last.done()).isEqualTo(counted.size()).isEqualTo(last.total());
            assertThat(last.bytes()).isEqualTo(counted.stream().mapToLong(TensorInfo::byteSize).sum()).isEqualTo(last.totalBytes());
            assertThat(last.percent()).isEqualTo(100);
        }
    }

    /** The draft block of {@code qwen4exp} attends densely and leaves the index in its file alone. */
    @ParameterizedTest
    @CsvSource({"qwen35moe,false", "qwen4exp,true"})
    void tensorsThatAreLeftOutAreNotWaitedFor(String model, boolean drafts) {
        LoadProgress last = load(model, drafts).getLast();
        assertThat(last.done()).isPositive().isLessThan(last.total());
    }

    @Test
    void itReadsLikeASentence() {
        assertThat(new LoadProgress(Phase.WEIGHTS, 120, 1579, 3L << 30, 12L << 30).text())
                .isEqualTo("loading weights 25 %, 120 of 1,579 tensors, 3.0 of 12.0 GiB");
        assertThat(new LoadProgress(Phase.EXPERTS, 250, 1000, 0, 0).text()).isEqualTo("pre-warming experts 25 %, 250 of 1,000");
    }
}

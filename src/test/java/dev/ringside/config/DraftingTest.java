package dev.ringside.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.engine.SpeculationOptions;
import dev.ringside.gguf.GgufFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DraftingTest {

    private static SpeculationOptions of(String model, String... settings) {
        try (GgufFile file = GgufFile.open(Path.of("src/test/resources", model, "q8_0.gguf"))) {
            return Drafting.of(Settings.of(settings), file);
        }
    }

    @ParameterizedTest
    @CsvSource({"qwen35moe,1", "qwen4exp,1", "qwen35moe,3", "qwen4exp,3"})
    void aModelWithADraftBlockDraftsUpToWhatIsSetAndFewerWhereItDoesNotPay(String model, int most) {
        assertThat(of(model, "speculation.enabled", "true", "speculation.max-drafts", String.valueOf(most)))
                .isEqualTo(new SpeculationOptions(most, true));
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen3moe", "qwen3next"})
    void aModelWithoutADraftBlockDraftsNothing(String model) {
        assertThat(of(model, "speculation.enabled", "true")).isEqualTo(SpeculationOptions.NONE);
    }

    @Test
    void nothingIsDraftedWhereItIsSwitchedOff() {
        assertThat(of("qwen35moe", "speculation.enabled", "false")).isEqualTo(SpeculationOptions.NONE);
    }
}

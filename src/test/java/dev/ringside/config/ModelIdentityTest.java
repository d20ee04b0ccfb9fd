package dev.ringside.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelIdentityTest {

    @ParameterizedTest
    @CsvSource({"Ringside Demo,ringside-demo", "Qwen3.5-35B-A3B.gguf,qwen3.5-35b-a3b", "  odd//Name!! ,odd-name", "模型,model"})
    void anIdNeedsNoQuotingInUrls(String name, String id) {
        assertThat(ModelIdentity.slug(name)).isEqualTo(id);
    }
}

package dev.ringside.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class UnknownVariablesTest {

    private static final SettingCatalog CATALOG = new SettingCatalog(
            Map.of("ringside.model.path", "a file", "ringside.experts.arena-bytes", "a size", "ringside.api.keys", "keys"));

    @Test
    void misspeltNamesAreFound() {
        assertThat(UnknownVariables.find(environment(Map.of("RINGSIDE_MODEL_PAHT", "x", "PATH", "/bin"), Map.of("ringside.api.key", "k")),
                CATALOG))
                .containsExactlyInAnyOrder("RINGSIDE_MODEL_PAHT", "ringside.api.key");
    }

    @Test
    void everySpellingOfASettingIsKnown() {
        assertThat(UnknownVariables.find(environment(
                Map.of("RINGSIDE_MODEL_PATH", "x", "RINGSIDE_EXPERTS_ARENABYTES", "1", "RINGSIDE_EXPERTS_ARENA_BYTES", "1",
                        "RINGSIDE_API_KEYS_0", "k"),
                Map.of("ringside.api.keys[1]", "k", "ringside.experts.arenaBytes", "1")), CATALOG)).isEmpty();
    }

    @Test
    void whatKubernetesSaysOfAServiceIsNoMistake() {
        assertThat(UnknownVariables.find(
                environment(
                        Map.of("RINGSIDE_SERVICE_HOST", "10.0.0.1", "RINGSIDE_PORT_8080_TCP_ADDR", "10.0.0.1", "RINGSIDE_PORT", "tcp://"),
                        Map.of()),
                CATALOG)).isEmpty();
    }

    @Test
    void theNearestSettingIsSuggested() {
        assertThat(CATALOG.nearest("ringside.model.paht")).isEqualTo("ringside.model.path");
        assertThat(CATALOG.nearest("ringside.experts.arena-size")).isEqualTo("ringside.experts.arena-bytes");
        assertThat(CATALOG.nearest("ringside.something.else.entirely")).isNull();
    }

    private static StandardEnvironment environment(Map<String, Object> variables, Map<String, Object> system) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        environment.getPropertySources().replace(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
                new MapPropertySource(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME, system));
        return environment;
    }
}

package dev.ringside.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ringside.expert.ExpertOptions;
import dev.ringside.sequence.StateLayout;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class InspectCommandTest {

    static final Path DEMO = resource("/models/ringside-demo.gguf");
    static final Path TINY = resource("/qwen4exp/q8_0.gguf");

    static Path resource(String name) {
        try {
            return Path.of(InspectCommandTest.class.getResource(name).toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void the_demo_model_is_described() {
        JsonNode report = CommandRun.of("inspect", DEMO, "--json").json();
        assertThat(report.at("/architecture").asString()).isEqualTo("qwen4exp");
        assertThat(report.at("/name").asString()).isEqualTo("Ringside Demo");
        assertThat(report.at("/support/runs").asBoolean()).isTrue();
        assertThat(report.at("/contextLength").asLong()).isEqualTo(4096);
        assertThat(report.at("/layers").asInt()).isEqualTo(8);
        assertThat(report.at("/draftLayers").asInt()).isEqualTo(1);
        assertThat(report.at("/hiddenSize").asInt()).isEqualTo(256);
        assertThat(report.at("/heads/attentionLayers").asInt()).isEqualTo(2);
        assertThat(report.at("/heads/deltaNetLayers").asInt()).isEqualTo(6);
        assertThat(report.at("/vocabularySize").asInt()).isEqualTo(8192);
        assertThat(report.at("/tokenizer/chatTemplate").asBoolean()).isTrue();
        assertThat(report.at("/tokenizer/merges").asInt()).isEqualTo(7933);
        assertThat(report.at("/synthetic").asBoolean()).isFalse();
    }

    @Test
    void experts_are_measured_in_slots_of_the_arena() {
        JsonNode experts = CommandRun.of("inspect", TINY, "--json").json().at("/experts");
        assertThat(experts.at("/perLayer").asInt()).isEqualTo(12);
        assertThat(experts.at("/perToken").asInt()).isEqualTo(3);
        assertThat(experts.at("/layers").asInt()).as("four trunk layers and the draft block").isEqualTo(5);
        assertThat(experts.at("/total").asInt()).isEqualTo(60);
        assertThat(experts.at("/parametersEach").asLong()).isEqualTo(3 * 64 * 32);
        // 34 bytes for each 32 elements; the three matrices are whole multiples of 256 bytes apart.
        assertThat(experts.at("/smallestBytes").asLong()).isEqualTo(3 * 64 * 34);
        assertThat(experts.at("/slotBytes").asLong()).isEqualTo(3 * 2304);
        assertThat(experts.at("/totalBytes").asLong()).isEqualTo(60L * 3 * 64 * 34);
        assertThat(experts.at("/bytesPerToken").asLong()).isEqualTo(4L * 3 * 3 * 64 * 34);
    }

    @Test
    void roles_and_types_account_for_every_byte() {
        JsonNode report = CommandRun.of("inspect", TINY, "--json").json();
        for (String way : List.of("roles", "types")) {
            long bytes = 0;
            long tensors = 0;
            for (JsonNode group : report.get(way)) {
                bytes += group.get("bytes").asLong();
                tensors += group.get("tensors").asLong();
            }
            assertThat(bytes).isEqualTo(report.get("bytes").asLong());
            assertThat(tensors).isEqualTo(report.get("tensors").asLong());
        }
        assertThat(report.get("roles").findValuesAsString("name")).containsExactly("embedding", "attention", "deltanet", "routed experts",
                "shared experts", "router", "mixers", "n-gram table", "n-gram block", "norms", "head", "draft");
    }

    @Test
    void what_fits_beside_dense_weights_and_state_is_counted_in_slots() {
        JsonNode report = CommandRun.of("inspect", DEMO, "--json", "--memory", "24MB,1GB,8MB", "--context", "2048").json();
        JsonNode fits = report.get("fits");
        JsonNode some = fits.get(0);
        long left = (24L << 20) - some.get("denseBytes").asLong() - some.get("stateBytes").asLong();
        assertThat(some.get("arenaBytes").asLong()).isEqualTo(left);
        assertThat(some.get("slots").asLong()).isEqualTo(left / report.at("/experts/slotBytes").asLong()).isBetween(1L, 287L);
        assertThat(some.get("enough").asBoolean()).isTrue();
        assertThat(fits.get(1).get("slots").asInt()).isEqualTo(288);
        assertThat(fits.get(1).get("share").asDouble()).isEqualTo(1);
        assertThat(fits.get(2).get("enough").asBoolean()).isFalse();
    }

    @Test
    void the_state_it_tells_is_the_state_the_engine_takes() {
        for (Path file : List.of(DEMO, TINY)) {
            JsonNode state = CommandRun.of("inspect", file, "--json").json().get("state");
            try (BenchSession session = new BenchSession(file, 1, 1, 1, 1, ExpertOptions.defaults(1, 1))) {
                StateLayout layout = session.loaded().model().stateLayout();
                long regions = layout.regions().size() * (long) StateLayout.ALIGNMENT;
                assertThat(state.get("fixedBytes").asLong()).isCloseTo(2 * layout.planeBytes(), Offset.offset(2 * regions));
                assertThat(state.get("bytesPerToken").asLong() * layout.pageTokens()).isCloseTo(layout.pageBytes(),
                        Offset.offset(regions));
            }
        }
    }

    @Test
    void the_table_shows_the_same() {
        CommandRun run = CommandRun.of("inspect", DEMO, "--memory", "64MB", "--context", "2048");
        assertThat(run.code()).isZero();
        assertThat(run.out()).contains("qwen4exp", "routed experts", "9 layers of 32, 288 in all, 4 for a token", "everything fits");
    }

    @Test
    void every_architecture_of_the_fixtures_is_described() throws IOException {
        for (String architecture : List.of("qwen3moe", "qwen3next", "qwen35moe", "qwen4exp")) {
            try (Stream<Path> files = Files.list(fixtures().resolve(architecture))) {
                files.filter(file -> file.toString().endsWith(".gguf")).forEach(file -> {
                    JsonNode report = CommandRun.of("inspect", file, "--json").json();
                    assertThat(report.get("architecture").asString()).isEqualTo(architecture);
                    assertThat(report.at("/experts/perToken").asInt()).as("%s", file).isEqualTo(3);
                    assertThat(report.get("layers").asInt()).isBetween(2, 4);
                    assertThat(report.get("roles").findValuesAsString("name")).contains("routed experts", "norms").doesNotContain("other");
                });
            }
        }
    }

    @Test
    void all_parts_of_a_split_file_are_counted() {
        Path first = fixtures().resolve("split/qwen3moe-q8_0-00001-of-00003.gguf");
        JsonNode split = CommandRun.of("inspect", first, "--json").json();
        JsonNode whole = CommandRun.of("inspect", fixtures().resolve("qwen3moe/q8_0.gguf"), "--json").json();
        assertThat(split.get("parts")).hasSize(3);
        assertThat(split.get("bytes")).isEqualTo(whole.get("bytes"));
        assertThat(split.get("roles")).isEqualTo(whole.get("roles"));
    }

    @Test
    void dense_models_and_old_mixtures_are_described_without_experts_to_place() {
        JsonNode dense = CommandRun.of("inspect", fixtures().resolve("stories260k/stories260K-dense.gguf"), "--json", "--memory", "1GB")
                .json();
        assertThat(dense.get("architecture").asString()).isEqualTo("llama");
        assertThat(dense.get("experts").isNull()).isTrue();
        assertThat(dense.at("/fits/0/enough").asBoolean()).isTrue();
        assertThat(dense.get("roles").findValuesAsString("name")).contains("feed forward");
    }

    @Test
    void a_file_the_engine_does_not_run_is_described_and_says_why() {
        Path file = fixtures().resolve("malformed/unknown-architecture.gguf");
        JsonNode support = CommandRun.of("inspect", file, "--json").json().get("support");
        assertThat(support.get("runs").asBoolean()).isFalse();
        assertThat(support.get("reason").asString()).contains("architecture").doesNotContain(file.toString());
    }

    private static Path fixtures() {
        String directory = System.getenv("RINGSIDE_TESTDATA");
        assumeTrue(directory != null, "RINGSIDE_TESTDATA is not set");
        return Path.of(directory);
    }
}

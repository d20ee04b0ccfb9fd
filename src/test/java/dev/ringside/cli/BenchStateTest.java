package dev.ringside.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.cli.StateReport.Draft;
import dev.ringside.cli.StateReport.Drafts;
import dev.ringside.cli.StateReport.Prefix;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What {@code bench} says of checkpoints, prefixes and drafts. */
class BenchStateTest {

    private static final int PROMPT = 70;
    private static final int PAGE = 64;

    private static JsonNode bench(String model, Object... more) {
        Object[] arguments = {"bench", "--json", "--backend", "cpu", "--prompt", PROMPT, "--decode", "6", "--batch", "1", "--repeat", "1",
            "--warm-up=0", "--step-tokens=32", "--bandwidth-buffer=1MB", "--model", "src/test/resources/" + model + "/q8_0.gguf"};
        Object[] all = Arrays.copyOf(arguments, arguments.length + more.length);
        System.arraycopy(more, 0, all, arguments.length, more.length);
        return CommandRun.of(all).json().get("state");
    }

    @Test
    void a_sequence_is_saved_restored_and_compared_with_a_plain_copy_of_as_many_bytes() {
        JsonNode state = bench("qwen3next");
        assertThat(state.get("position").asInt()).isEqualTo(PROMPT);
        // One attention layer of two heads of 64 in F16, keys and values, in pages of 64 tokens: two of them.
        assertThat(state.get("bytes").asLong()).isGreaterThan(PROMPT * 2L * 2 * 64 * 2);
        for (String rate : List.of("saveBytesPerSecond", "restoreBytesPerSecond", "copyBytesPerSecond")) {
            assertThat(state.get(rate).asDouble()).as(rate).isPositive();
        }
    }

    @Test
    void a_prompt_seen_before_starts_behind_its_last_whole_page() {
        JsonNode prefix = bench("qwen3next").get("prefix");
        assertThat(prefix.get("promptTokens").asInt()).isEqualTo(PROMPT);
        assertThat(prefix.get("cachedTokens").asInt()).isEqualTo(PAGE);
        assertThat(prefix.get("coldSeconds").asDouble()).isPositive();
        assertThat(prefix.get("hitSeconds").asDouble()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen4exp", "qwen35moe"})
    void every_number_of_drafts_is_measured_and_then_what_the_engine_would_choose(String model) {
        JsonNode drafts = bench(model).get("drafts");
        assertThat(drafts.get("plainTokensPerSecond").asDouble()).isPositive();
        JsonNode settings = drafts.get("settings");
        assertThat(settings.findValuesAsString("maxDrafts")).containsExactly("1", "2", "3", "3");
        assertThat(settings.findValuesAsString("adaptive")).containsExactly("false", "false", "false", "true");
        for (JsonNode setting : settings) {
            assertThat(setting.get("accepted").asLong()).isBetween(0L, setting.get("drafted").asLong());
            assertThat(setting.get("acceptance").asDouble()).isBetween(0.0, 1.0);
            assertThat(setting.get("acceptanceAt").size()).isLessThanOrEqualTo(setting.get("maxDrafts").asInt());
            assertThat(setting.get("tokensPerStep").asDouble()).isBetween(1.0, 1.0 + setting.get("maxDrafts").asInt());
        }
        assertThat(settings.get(0).get("drafted").asLong()).isPositive();
    }

    @Test
    void a_model_without_a_draft_block_has_no_figures_of_drafts() {
        assertThat(bench("qwen3moe").get("drafts").isNull()).isTrue();
    }

    @Test
    void state_can_be_left_out() {
        assertThat(bench("qwen3moe", "--no-state").isNull()).isTrue();
    }

    @Test
    void the_table_names_rates_tokens_cached_and_acceptance_by_position() {
        StringWriter text = new StringWriter();
        Drafts drafts = new Drafts(50, 200, List.of(new Draft(2, false, 75, 1.5, 100, 60, 0.6, List.of(0.8, 0.4), 2.2),
                new Draft(3, true, 80, 1.6, 110, 66, 0.6, List.of(0.8, 0.4, 0.2), 2.3)));
        StateTable.print(new StateReport(1000, 3 << 20, 2e9, 3e9, 9e9, new Prefix(1000, 2.5, 0.05, 960), drafts),
                new PrintWriter(text, true));
        assertThat(text.toString().lines().filter(line -> !line.isBlank()).map(line -> line.strip().replaceAll(" +", " "))).containsExactly(
                "sequence state of 1000 tokens: 3.00 MiB; save 2.00 GB/s, restore 3.00 GB/s, plain copy 9.00 GB/s",
                "first token of a prompt of 1000 tokens: cold 2.500 s, with 960 tokens cached 0.050 s",
                "drafts tokens/s speed-up drafted accepted by position tokens/step",
                "none 50.00 1.00 0 1.00",
                "2 75.00 1.50 100 60 % 80 %, 40 % 2.20",
                "up to 3 80.00 1.60 110 60 % 80 %, 40 %, 20 % 2.30");
    }
}

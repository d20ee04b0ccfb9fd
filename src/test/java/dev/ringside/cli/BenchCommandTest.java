package dev.ringside.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class BenchCommandTest {

    @TempDir
    Path directory;

    private static CommandRun bench(Object... arguments) {
        Object[] all = new Object[arguments.length + 10];
        Object[] start = {"bench", "--prompt", "6,9", "--decode", "4", "--repeat", "2", "--warm-up=0", "--step-tokens=4",
            "--bandwidth-buffer=1MB"};
        System.arraycopy(start, 0, all, 0, start.length);
        System.arraycopy(arguments, 0, all, start.length, arguments.length);
        return CommandRun.of(all);
    }

    @Test
    void each_prompt_and_each_batch_is_measured() {
        JsonNode report = bench("--json", "--batch", "1,3", "--model", InspectCommandTest.TINY).json();
        assertThat(report.get("architecture").asString()).isEqualTo("qwen4exp");
        assertThat(report.get("memoryBandwidth").asDouble()).isPositive();
        JsonNode results = report.get("results");
        assertThat(results.findValuesAsString("test")).containsExactly("prefill", "prefill", "decode", "decode");
        assertThat(results.findValuesAsString("batch")).containsExactly("1", "1", "1", "3");
        for (JsonNode result : results) {
            assertThat(result.get("tokensPerSecond").asDouble()).isBetween(result.get("slowest").asDouble(),
                    result.get("fastest").asDouble());
            assertThat(result.get("bandwidthShare").asDouble()).isPositive();
            assertThat(result.get("hits").asLong()).isPositive();
        }
        assertThat(results.get(0).get("allocatedPerToken").isNull()).isTrue();
        assertThat(results.get(2).get("allocatedPerToken").asDouble()).isNotNegative();
    }

    @Test
    void bytes_of_a_decoded_token_are_dense_weights_and_the_experts_it_was_routed_to() {
        JsonNode report = bench("--json", "--batch", "1", "--model", InspectCommandTest.TINY).json();
        JsonNode decode = report.get("results").get(2);
        // Four layers, three experts each, of three matrices of 64 x 32 elements in Q8_0.
        double experts = 4 * 3 * 3 * 64 * 34;
        assertThat(decode.get("expertBytesPerToken").asDouble()).isCloseTo(experts, within(1e-6));
        assertThat(decode.get("bytesPerToken").asDouble()).isCloseTo(report.get("denseBytes").asDouble() + experts, within(1e-6));
        assertThat(decode.get("hits").asLong() + decode.get("misses").asLong()).isEqualTo(2 * 4 * 4 * 3);
    }

    @Test
    void a_prompt_reads_dense_weights_once_a_step_and_an_expert_once_for_all_rows_of_it() {
        JsonNode report = bench("--json", "--batch", "1", "--model", InspectCommandTest.TINY).json();
        JsonNode prefill = report.get("results").get(1);
        double dense = prefill.get("bytesPerToken").asDouble() - prefill.get("expertBytesPerToken").asDouble();
        assertThat(dense).as("nine tokens in three steps").isCloseTo(report.get("denseBytes").asDouble() / 3, within(1e-6));
        assertThat(prefill.get("expertBytesPerToken").asDouble()).isLessThan(4 * 3 * 3 * 64 * 34);
    }

    @Test
    void a_small_arena_misses() {
        JsonNode report = bench("--json", "--batch", "1", "--arena", "10%", "--arena-kind", "device", "--model", InspectCommandTest.TINY)
                .json();
        assertThat(report.at("/arena/kind").asString()).isEqualTo("device");
        assertThat(report.at("/arena/slots").asInt()).isEqualTo(6);
        assertThat(report.get("results").get(2).get("misses").asLong()).isPositive();
    }

    @Test
    void an_arena_that_cannot_run_a_token_fails_with_what_it_takes() {
        CommandRun run = bench("--arena", "1%", "--model", InspectCommandTest.TINY);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err().lines().filter(line -> line.startsWith("ringside bench:"))).singleElement().asString().contains("6");
    }

    @Test
    void without_a_model_the_built_in_one_is_measured() {
        CommandRun run = bench("--batch", "1");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).contains("Ringside Demo", "prefill 6", "decode 4", "memory reads at");
    }

    @Test
    void a_model_that_does_not_run_is_named_with_the_reason() throws Exception {
        Path file = Files.writeString(directory.resolve("no.gguf"), "no model at all, but long enough");
        CommandRun run = bench("--model", file);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("no.gguf");
    }
}

package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.KvType;
import dev.ringside.model.ModelHarness;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ValueSource;

/** Small models of every family, whose layers and matrices differ in type and size, say the same with the fewest experts in memory. */
@EnabledIfEnvironmentVariable(named = "RINGSIDE_TESTDATA", matches = ".+")
class ExpertFixturesTest {

    private static final int[] PROMPT = {5, 9, 17, 3, 40, 41, 7, 22, 60, 11, 12, 13};
    private static final int TOKENS = 40;
    private static final int LONG = 256;

    private static int[] generate(String model, ExpertOptions options) {
        try (ModelHarness harness = new ModelHarness(path(model), PROMPT.length, 1, KvType.F16, options)) {
            return harness.greedy(PROMPT, TOKENS, PROMPT.length);
        }
    }

    private static Path path(String model) {
        return Path.of(Objects.requireNonNull(System.getenv("RINGSIDE_TESTDATA"))).resolve(model);
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen3moe/mixed.gguf", "qwen3moe/low.gguf", "qwen3moe/iq.gguf", "qwen3next/mixed.gguf",
        "qwen3next/q8_0-fused.gguf", "qwen35moe/mixed.gguf", "qwen4exp/mixed.gguf", "split/qwen3moe-q8_0-00001-of-00003.gguf"})
    void textIsTheSameWithTheSmallestArena(String model) {
        ExpertOptions all = ExpertOptions.defaults(1, 1L << 30).withArena(ArenaKind.PINNED);
        int[] expected;
        ExpertCapacity smallest;
        try (ModelHarness harness = new ModelHarness(path(model), PROMPT.length, 1, KvType.F16, all)) {
            expected = harness.greedy(PROMPT, TOKENS, PROMPT.length);
            ExpertFetcher fetcher = Objects.requireNonNull(harness.loaded().experts());
            smallest = new ExpertCapacity.Bytes(fetcher.minimumSlots() * fetcher.snapshot().slotBytes(), "smallest");
        }
        for (ArenaKind kind : new ArenaKind[] {ArenaKind.DEVICE, ArenaKind.PINNED}) {
            for (DirectReads direct : new DirectReads[] {DirectReads.TRUE, DirectReads.FALSE}) {
                for (int readers : new int[] {1, 4}) {
                    for (String tier : kind == ArenaKind.DEVICE ? new String[] {"0", "100%"} : new String[] {"0"}) {
                        ExpertTuning tuning = ExpertTuning.DEFAULT.withReads(ReadOptions.DEFAULT.withDirect(direct))
                                .withHostTier(HostTierSize.parse(tier)).withLookahead(readers > 1);
                        assertThat(generate(model,
                                all.withArena(kind).withCapacity(smallest).withReaderThreads(readers).withTuning(tuning)))
                                .as("%s, %s, %d readers, host tier %s", kind, direct, readers, tier).isEqualTo(expected);
                    }
                }
            }
        }
    }

    /** So much of all experts, or where that is less than a tier can be, twice the smallest arena. */
    private static HostTierSize tier(String share, long least, long experts, long slotBytes) {
        if (!share.equals("50%")) {
            return HostTierSize.parse(share);
        }
        return HostTierSize.parse(Math.max(2 * least, experts / 2) * slotBytes + "B");
    }

    @Tag("soak")
    @ParameterizedTest
    @ValueSource(strings = {"qwen3moe/mixed.gguf", "qwen3moe/low.gguf", "qwen3moe/iq.gguf", "qwen3next/mixed.gguf",
        "qwen3next/q8_0-fused.gguf", "qwen35moe/mixed.gguf", "qwen4exp/mixed.gguf", "split/qwen3moe-q8_0-00001-of-00003.gguf"})
    void longTextIsTheSameUnderEveryCircumstance(String model) {
        ExpertOptions all = ExpertOptions.defaults(1, 1L << 30).withArena(ArenaKind.PINNED);
        int[] expected;
        long slots;
        long slotBytes;
        long experts;
        try (ModelHarness harness = new ModelHarness(path(model), PROMPT.length, 1, KvType.F16, all)) {
            expected = harness.greedy(PROMPT, LONG, PROMPT.length);
            ExpertFetcher fetcher = Objects.requireNonNull(harness.loaded().experts());
            slots = fetcher.minimumSlots();
            slotBytes = fetcher.snapshot().slotBytes();
            experts = fetcher.snapshot().experts();
        }
        for (Arguments circumstance : ExpertCircumstancesTest.circumstances()) {
            Object[] values = circumstance.get();
            double share = Double.parseDouble(values[0].toString().replace("%", "")) / 100;
            long bytes = Math.max(slots, Math.round(share * experts)) * slotBytes;
            ExpertTuning tuning = new ExpertTuning(ReadOptions.DEFAULT.withDirect((DirectReads) values[2]),
                    tier(values[4].toString(), slots, experts, slotBytes), (boolean) values[3], null, null);
            ExpertOptions options = all.withArena((ArenaKind) values[1]).withCapacity(new ExpertCapacity.Bytes(bytes, bytes + " bytes"))
                    .withReaderThreads((int) values[5]).withTuning(tuning);
            try (ModelHarness harness = new ModelHarness(path(model), PROMPT.length, 1, KvType.F16, options)) {
                assertThat(harness.greedy(PROMPT, LONG, PROMPT.length)).as("%s", Arrays.toString(values)).isEqualTo(expected);
            }
        }
    }
}

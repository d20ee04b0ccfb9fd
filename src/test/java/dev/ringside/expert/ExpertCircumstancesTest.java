package dev.ringside.expert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.KvType;
import dev.ringside.model.ModelHarness;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The built-in model says the same whatever becomes of its experts. */
@TestInstance(Lifecycle.PER_CLASS)
class ExpertCircumstancesTest {

    private static final Path MODEL = Path.of("src/main/resources/models/ringside-demo.gguf");
    private static final int[] PROMPT = prompt(48);
    private static final int SHORT = 64;
    private static final int LONG = 256;

    private int[] expected = new int[0];

    private static int[] prompt(int length) {
        int[] tokens = new int[length];
        for (int i = 0; i < length; i++) {
            tokens[i] = 300 + i * 37 % 1500;
        }
        return tokens;
    }

    private static int[] generate(ExpertOptions options, int count) {
        try (ModelHarness harness = new ModelHarness(MODEL, 48, 2, KvType.F16, options)) {
            return harness.greedy(PROMPT, count, 48);
        }
    }

    private static ExpertOptions options(String capacity, ArenaKind kind) {
        return ExpertOptions.defaults(1, 1L << 30).withArena(kind).withCapacity(ExpertCapacity.parse(capacity));
    }

    @BeforeAll
    void generateWithAllResident() {
        expected = generate(options("100%", ArenaKind.PINNED).withTuning(ExpertTuning.DEFAULT.withLookahead(false)), LONG);
    }

    /** Every value of every circumstance, each pair of neighbours in the list at least once. */
    static List<Arguments> someCircumstances() {
        List<Arguments> all = circumstances();
        List<Arguments> some = new ArrayList<>();
        for (int i = 0; i < all.size(); i += 13) {
            some.add(all.get(i));
        }
        return some;
    }

    static List<Arguments> circumstances() {
        List<Arguments> all = new ArrayList<>();
        for (String capacity : List.of("3.2%", "10%", "25%", "50%", "100%")) {
            for (ArenaKind kind : List.of(ArenaKind.DEVICE, ArenaKind.PINNED)) {
                for (DirectReads direct : List.of(DirectReads.TRUE, DirectReads.FALSE)) {
                    for (boolean lookahead : List.of(true, false)) {
                        for (String tier : kind == ArenaKind.DEVICE ? List.of("0", "50%", "100%") : List.of("0")) {
                            for (int readers : List.of(1, 8)) {
                                all.add(Arguments.of(capacity, kind, direct, lookahead, tier, readers));
                            }
                        }
                    }
                }
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("someCircumstances")
    void textIsTheSame(String capacity, ArenaKind kind, DirectReads direct, boolean lookahead, String tier, int readers) {
        assertSameText(capacity, kind, direct, lookahead, tier, readers, SHORT);
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("circumstances")
    void longTextIsTheSame(String capacity, ArenaKind kind, DirectReads direct, boolean lookahead, String tier, int readers) {
        assertSameText(capacity, kind, direct, lookahead, tier, readers, LONG);
    }

    private void assertSameText(String capacity, ArenaKind kind, DirectReads direct, boolean lookahead, String tier, int readers,
            int count) {
        ExpertTuning tuning = new ExpertTuning(ReadOptions.DEFAULT.withDirect(direct), HostTierSize.parse(tier), lookahead, null, null);
        ExpertEviction eviction = readers == 1 ? ExpertEviction.DEFAULT : new ExpertEviction.Adaptive();
        int[] text = generate(options(capacity, kind).withTuning(tuning).withReaderThreads(readers).withEviction(eviction, 1), count);
        assertThat(text).containsExactly(Arrays.copyOf(expected, count));
    }

    @Test
    void promptThatNeedsMoreExpertsThanFitReadsEachOnceAChunk() {
        int chunk = 500;
        int[] tokens = prompt(1500);
        try (ModelHarness harness = new ModelHarness(MODEL, chunk, 2, KvType.F16, options("10%", ArenaKind.DEVICE))) {
            harness.run(tokens, chunk);
            ExpertSnapshot counters = harness.loaded().expertSnapshot();
            assertThat(counters.slots()).isLessThan(counters.experts() / 9);
            for (ExpertSnapshot.Layer layer : counters.layers()) {
                assertThat(layer.misses()).as("layer %d", layer.layer()).isLessThanOrEqualTo(3L * layer.experts());
            }
            assertThat(counters.bytesRead()).isLessThanOrEqualTo(3 * harness.loaded().model().info().expertBytes());
        }
    }
}

package dev.ringside.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ringside.gguf.BlockDecoder;
import dev.ringside.gguf.GgmlType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SyntheticWeightsTest {

    @ParameterizedTest
    @EnumSource(GgmlType.class)
    void random_blocks_of_every_type_have_the_spread_asked_for_and_no_bias(GgmlType type) {
        double wanted = 0.02;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment blocks = RandomBlocks.create(arena, type, 256 << 10, wanted, 0, new SplittableRandom(3));
            float[] values = decode(type, blocks);
            double sum = 0;
            double squares = 0;
            for (float value : values) {
                assertThat(value).isFinite();
                sum += value;
                squares += (double) value * value;
            }
            // Scales that are powers of two hit it within a factor of the square root of two.
            double allowed = type == GgmlType.MXFP4 ? Math.sqrt(2) : 1.15;
            assertThat(Math.sqrt(squares / values.length)).isBetween(wanted / allowed, wanted * allowed);
            assertThat(sum / values.length).isCloseTo(0, within(0.05 * wanted));
        }
    }

    @Test
    void an_embedding_can_be_given_a_mean() {
        try (Arena arena = Arena.ofConfined()) {
            float[] values = decode(GgmlType.Q8_0, RandomBlocks.create(arena, GgmlType.Q8_0, 64 << 10, 1, 1, new SplittableRandom(3)));
            double sum = 0;
            for (float value : values) {
                sum += value;
            }
            assertThat(sum / values.length).isCloseTo(1, within(0.03));
        }
    }

    private static float[] decode(GgmlType type, MemorySegment blocks) {
        float[] values = new float[(int) (blocks.byteSize() / type.blockBytes() * type.blockElements())];
        BlockDecoder.of(type).decode(blocks, 0, values, 0, values.length);
        return values;
    }

    @Test
    void n_gram_constants_are_those_of_the_released_model() {
        NGramTable table = NGramTable.of(3, 8, NGramTable.RELEASED_ROWS, 248_320);
        assertThat(table.multipliers()).containsExactly(23703573157769L, 20109073645365L, 8052911324071L);
        assertThat(table.headSizes()).hasSize(16).startsWith(20_000_003, 20_000_023, 20_000_033).endsWith(20_000_161, 20_000_171);
        assertThat(table.headOffsets()).startsWith(0, 20_000_003, 40_000_026);
        assertThat(table.rows()).isEqualTo(320_001_536);
    }

    @Test
    void shares_follow_the_law_below_a_cap_and_sum_to_the_experts_of_a_token() {
        double[] shares = Routing.parse("zipf:1.0").shares(128, 8);
        assertThat(Arrays.stream(shares).sum()).isCloseTo(8, within(1e-9));
        assertThat(shares[0]).isLessThanOrEqualTo(0.95);
        assertThat(shares[9] / shares[19]).isCloseTo(2, within(1e-9));
        assertThat(Routing.parse("uniform").shares(64, 8)).containsOnly(0.125);
        assertThat(Routing.parse("zipf:2").shares(8, 8)).as("a token asks for all").containsOnly(1);
    }

    @Test
    void quantiles_are_those_of_the_normal_distribution() {
        assertThat(RouterWeights.quantile(0.5)).isCloseTo(0, within(1e-6));
        assertThat(RouterWeights.quantile(0.975)).isCloseTo(1.959964, within(1e-5));
        assertThat(RouterWeights.quantile(0.001)).isCloseTo(-3.090232, within(1e-5));
    }

    @Test
    void a_mix_gives_sensitive_matrices_more_bits() {
        QuantMix mix = QuantMix.parse("Q4_K_M");
        assertThat(mix.expert(2048)).isEqualTo(GgmlType.Q4_K);
        assertThat(mix.expertDown(768, 0, 48)).isEqualTo(GgmlType.Q6_K);
        assertThat(mix.expertDown(768, 7, 48)).isEqualTo(GgmlType.Q4_K);
        assertThat(mix.expertDown(640, 0, 48)).as("rows that are no whole blocks").isEqualTo(GgmlType.Q8_0);
        assertThat(mix.head(2048)).isEqualTo(GgmlType.Q6_K);
        assertThat(QuantMix.parse("mxfp4_moe").expert(2048)).isEqualTo(GgmlType.MXFP4);
        assertThat(QuantMix.parse("f16").head(2048)).isEqualTo(GgmlType.F16);
    }
}

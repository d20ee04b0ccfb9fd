package dev.ringside.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class RopeScalingTest {

    private static final int WIDTH = 128;
    private static final float BASE = 1e6f;

    private final float[] plain = new RopeScaling.None().inverseFrequencies(WIDTH, BASE);

    @Test
    void plainFrequenciesFallFromOneByAPowerOfTheBase() {
        assertThat(plain).hasSize(64);
        assertThat(plain[0]).isEqualTo(1);
        assertThat(plain[32]).isCloseTo(1e-3f, within(1e-9f));
    }

    @Test
    void linearScalingDividesEveryFrequency() {
        float[] scaled = new RopeScaling.Linear(4).inverseFrequencies(WIDTH, BASE);

        for (int i = 0; i < plain.length; i++) {
            assertThat(scaled[i]).isEqualTo(plain[i] / 4);
        }
    }

    /** With an original context of 32,768: pair 23.6 turns 32 times in it, pair 39.7 once. */
    @Test
    void yarnKeepsFastPairsInterpolatesSlowOnesAndBlendsBetween() {
        float[] scaled = new RopeScaling.Yarn(4, 32_768, 32, 1, 1).inverseFrequencies(WIDTH, BASE);

        for (int i = 0; i < plain.length; i++) {
            double ratio = (double) scaled[i] / plain[i];
            double expected = i <= 23 ? 1 : i >= 40 ? 0.25 : 1 - 0.75 * (i - 23) / 17.0;
            assertThat(ratio).as("pair " + i).isCloseTo(expected, within(1e-6));
        }
    }

    @Test
    void tooHighABlendEndsAtTheLastElement() {
        float[] scaled = new RopeScaling.Yarn(2, 1 << 30, 32, 1, 1).inverseFrequencies(WIDTH, 10_000);

        assertThat(scaled[0]).isEqualTo(1);
        assertThat(scaled[63] / new RopeScaling.None().inverseFrequencies(WIDTH, 10_000)[63]).isBetween(0.5f, 1f);
    }
}

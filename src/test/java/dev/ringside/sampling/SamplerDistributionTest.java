package dev.ringside.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frequencies of drawn tokens against exact probabilities; seeds are fixed, so the bounds never flicker. */
class SamplerDistributionTest {

    private static final long SEED = Long.getLong("ringside.test.seed", 20261130);
    private static final int DRAWS = 20_000;
    private static final float[] LOGITS = {2, 1, 0, -1, -2, 1.5f, 0.5f, -3};

    @ParameterizedTest
    @ValueSource(floats = {0.3f, 0.7f, 1, 2})
    void drawsFollowTheSoftmaxAtTheTemperature(float temperature) {
        Sampler sampler = new Sampler(Rows.drawn(temperature, 1, 0, 0, SEED), LOGITS.length);

        assertDistribution(Rows.frequencies(sampler, LOGITS, DRAWS), Rows.softmax(LOGITS, temperature));
    }

    @Test
    void drawsFromALargeVocabularyFollowTheSoftmax() {
        Random random = new Random(SEED);
        float[] logits = new float[5003];
        for (int i = 0; i < logits.length; i++) {
            logits[i] = (float) random.nextGaussian() - 3;
        }
        for (int likely = 0; likely < 6; likely++) {
            logits[likely * 1000 + 2] = 5 - likely * 0.3f;
        }
        Sampler sampler = new Sampler(Rows.drawn(0.8f, 1, 0, 0, SEED), logits.length);

        assertDistribution(Rows.frequencies(sampler, logits, 4000), Rows.softmax(logits, 0.8));
    }

    @Test
    void topKKeepsTheMostLikelyOnes() {
        Sampler sampler = new Sampler(Rows.drawn(1, 1, 3, 0, SEED), LOGITS.length);

        assertDistribution(Rows.frequencies(sampler, LOGITS, DRAWS), Rows.softmax(only(LOGITS, 0, 5, 1), 1));
    }

    @Test
    void topKOfEqualTokensKeepsTheLowestIds() {
        int[] seen = Rows.frequencies(new Sampler(Rows.drawn(1, 1, 2, 0, SEED), 5), new float[5], 1000);

        assertThat(seen[0] + seen[1]).isEqualTo(1000);
        assertThat(seen[0]).isBetween(400, 600);
    }

    @Test
    void topPKeepsTheSmallestSetThatReachesIt() {
        // Probabilities of the sorted tokens: 0.421, 0.256, 0.155, 0.094, ...: 0.8 needs three of them.
        Sampler sampler = new Sampler(Rows.drawn(1, 0.8f, 0, 0, SEED), LOGITS.length);

        assertDistribution(Rows.frequencies(sampler, LOGITS, DRAWS), Rows.softmax(only(LOGITS, 0, 5, 1), 1));
    }

    @Test
    void topPKeepsAtLeastOne() {
        int[] seen = Rows.frequencies(new Sampler(Rows.drawn(2, 0.0001f, 0, 0, SEED), LOGITS.length), LOGITS, 1000);

        assertThat(seen[0]).isEqualTo(1000);
    }

    @Test
    void topPFindsANucleusOfAThousand() {
        int vocabulary = 2000;
        int[] seen = Rows.frequencies(new Sampler(Rows.drawn(1, 0.5f, 0, 0, SEED), vocabulary), new float[vocabulary], 10_000);

        assertThat(IntStream.range(0, vocabulary).filter(i -> seen[i] > 0).max().orElse(-1)).isBetween(980, 1001);
    }

    @Test
    void topPCountsWithinWhatTopKKept() {
        // Of the two kept, 0.622 and 0.378 after normalising, the first alone reaches 0.6.
        int[] seen = Rows.frequencies(new Sampler(Rows.drawn(1, 0.6f, 2, 0, SEED), LOGITS.length), LOGITS, 1000);

        assertThat(seen[0]).isEqualTo(1000);
    }

    @Test
    void minPDropsWhatIsUnlikelyNextToTheBest() {
        // e^-1 = 0.37 stays, e^-1.5 = 0.22 goes.
        Sampler sampler = new Sampler(Rows.drawn(1, 1, 0, 0.3f, SEED), LOGITS.length);

        assertDistribution(Rows.frequencies(sampler, LOGITS, DRAWS), Rows.softmax(only(LOGITS, 0, 5, 1), 1));
    }

    @Test
    void minPActsBehindTopKToo() {
        Sampler sampler = new Sampler(Rows.drawn(1, 1, 5, 0.5f, SEED), LOGITS.length);

        assertDistribution(Rows.frequencies(sampler, LOGITS, DRAWS), Rows.softmax(only(LOGITS, 0, 5), 1));
    }

    @Test
    void filtersLookAtTheProbabilitiesBeforeTheTemperature() {
        // At temperature 2 the nucleus of 0.8 would hold five tokens; it holds the three of temperature 1, drawn at temperature 2.
        Sampler sampler = new Sampler(Rows.drawn(2, 0.8f, 0, 0, SEED), LOGITS.length);

        assertDistribution(Rows.frequencies(sampler, LOGITS, DRAWS), Rows.softmax(only(LOGITS, 0, 5, 1), 2));
    }

    @Test
    void theOwnExponentialIsExactToSevenDigits() {
        float[] row = new float[LogitScan.SPECIES.length() * 512];
        for (int i = 0; i < row.length; i++) {
            row[i] = -86.9f * i / row.length;
        }
        float[] weights = new float[row.length];
        LogitScan.weights(row, 0, 1, Float.NEGATIVE_INFINITY, weights, new double[row.length / LogitScan.BLOCK + 1],
                new float[LogitScan.SPECIES.length()]);

        for (int i = 0; i < row.length; i++) {
            assertThat(weights[i] / Math.exp(row[i])).as("exp(%s)", row[i]).isCloseTo(1, within(3e-7));
        }
    }

    private static float[] only(float[] logits, int... tokens) {
        float[] kept = new float[logits.length];
        Arrays.fill(kept, Float.NEGATIVE_INFINITY);
        for (int token : tokens) {
            kept[token] = logits[token];
        }
        return kept;
    }

    /** Every frequency within five standard deviations. */
    private static void assertDistribution(int[] seen, double[] expected) {
        int draws = Arrays.stream(seen).sum();
        for (int token = 0; token < seen.length; token++) {
            double mean = draws * expected[token];
            if (expected[token] == 0) {
                assertThat(seen[token]).as("token %d, seed %d", token, SEED).isZero();
            } else {
                double deviation = Math.sqrt(mean * (1 - expected[token]));
                assertThat((double) seen[token]).as("token %d, seed %d", token, SEED).isCloseTo(mean, within(5 * deviation + 3));
            }
        }
    }
}

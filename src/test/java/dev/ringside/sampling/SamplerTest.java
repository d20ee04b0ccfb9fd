package dev.ringside.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SamplerTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 16, 33, 1000})
    void temperatureZeroTakesTheLargestLogit(int vocabulary) {
        Random random = new Random(vocabulary);
        float[] logits = new float[vocabulary];
        int best = 0;
        for (int i = 0; i < vocabulary; i++) {
            logits[i] = random.nextFloat(-50, 50);
            best = logits[i] > logits[best] ? i : best;
        }
        Sampler sampler = new Sampler(SamplingParameters.greedy(), vocabulary);

        assertThat(sampler.sample(Rows.of(logits), 0, vocabulary)).isEqualTo(best);
    }

    @Test
    void tiesGoToTheLowestId() {
        float[] logits = new float[100];
        logits[97] = 3;
        logits[40] = 3;
        logits[99] = 3;
        Sampler sampler = new Sampler(SamplingParameters.greedy(), 100);

        assertThat(sampler.sample(Rows.of(logits), 0, 100)).isEqualTo(40);
    }

    @Test
    void tiesGoToTheLowestIdAmongBiasedLogitsToo() {
        Sampler sampler = new Sampler(Rows.greedyWith(0, 0, 1, Map.of(2, 1f, 1, 1f)), 4);

        assertThat(sampler.sample(Rows.of(0, 4, 4, 5), 0, 4)).isEqualTo(1);
    }

    @Test
    void rowsBehindAnOffsetAreRead() {
        Sampler sampler = new Sampler(SamplingParameters.greedy(), 3);

        assertThat(sampler.sample(Rows.of(9, 0, 0, 0, 1, 2), 12, 3)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(floats = {0, 1})
    void nanLogitsAreAnError(float temperature) {
        float[] logits = new float[40];
        logits[17] = Float.NaN;
        Sampler sampler = new Sampler(Rows.drawn(temperature, 1, 0, 0, 1), 40);

        assertThatThrownBy(() -> sampler.sample(Rows.of(logits), 0, 40)).isInstanceOf(InvalidLogitsException.class)
                .hasMessageContaining("NaN");
    }

    @Test
    void aNanInTheLastPartialVectorIsSeen() {
        float[] logits = new float[37];
        logits[36] = Float.NaN;
        Sampler sampler = new Sampler(SamplingParameters.greedy(), 37);

        assertThatThrownBy(() -> sampler.sample(Rows.of(logits), 0, 37)).isInstanceOf(InvalidLogitsException.class);
    }

    @Test
    void positiveInfinityIsAnError() {
        Sampler sampler = new Sampler(SamplingParameters.greedy(), 2);

        assertThatThrownBy(() -> sampler.sample(Rows.of(Float.POSITIVE_INFINITY, 1), 0, 2)).isInstanceOf(InvalidLogitsException.class)
                .hasMessageContaining("Infinity");
    }

    @Test
    void aRowOfNegativeInfinityIsAnError() {
        Sampler sampler = new Sampler(Rows.drawn(1, 1, 0, 0, 1), 2);

        assertThatThrownBy(() -> sampler.sample(Rows.of(Float.NEGATIVE_INFINITY, Float.NEGATIVE_INFINITY), 0, 2))
                .isInstanceOf(InvalidLogitsException.class);
    }

    @Test
    void tokensAtNegativeInfinityAreNeverDrawn() {
        float[] logits = {1, Float.NEGATIVE_INFINITY, 1, Float.NEGATIVE_INFINITY};

        assertThat(Rows.frequencies(new Sampler(Rows.drawn(2, 1, 0, 0, 3), 4), logits, 1000)).satisfies(seen -> {
            assertThat(seen[1]).isZero();
            assertThat(seen[3]).isZero();
        });
    }

    @Test
    void biasMovesTheChoice() {
        Sampler sampler = new Sampler(Rows.greedyWith(0, 0, 1, Map.of(0, -100f, 2, 1.5f)), 3);

        assertThat(sampler.sample(Rows.of(10, 1, 0), 0, 3)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 3, 151_936})
    void aBiasBeyondTheVocabularyIsRefused(int token) {
        assertThatThrownBy(() -> new Sampler(Rows.greedyWith(0, 0, 1, Map.of(token, 1f)), 3))
                .isInstanceOfSatisfying(InvalidSamplingException.class, e -> assertThat(e.parameter()).isEqualTo("logit_bias"))
                .hasMessageContaining(String.valueOf(token)).hasMessageContaining("0 to 2");
    }

    @Test
    void theFrequencyPenaltyCountsOccurrences() {
        Sampler sampler = new Sampler(Rows.greedyWith(0, 1, 1, Rows.NO_BIAS), 2);
        sampler.accept(0);
        assertThat(sampler.sample(Rows.of(2.5f, 1), 0, 2)).isZero();

        sampler.accept(0);
        assertThat(sampler.sample(Rows.of(2.5f, 1), 0, 2)).isEqualTo(1);
    }

    @Test
    void thePresencePenaltyCountsOnce() {
        Sampler sampler = new Sampler(Rows.greedyWith(1, 0, 1, Rows.NO_BIAS), 2);
        for (int i = 0; i < 10; i++) {
            sampler.accept(0);
        }

        assertThat(sampler.sample(Rows.of(2.5f, 1), 0, 2)).isZero();
        assertThat(sampler.sample(Rows.of(1.5f, 1), 0, 2)).isEqualTo(1);
    }

    @Test
    void presenceAndFrequencyLeaveThePromptAlone() {
        Sampler sampler = new Sampler(Rows.greedyWith(2, 2, 1, Rows.NO_BIAS), 2);
        sampler.prompt(new int[] {0, 0, 0});

        assertThat(sampler.sample(Rows.of(1.1f, 1), 0, 2)).isZero();
    }

    @Test
    void theRepetitionPenaltyCoversPromptAndOutput() {
        Sampler sampler = new Sampler(Rows.greedyWith(0, 0, 2, Rows.NO_BIAS), 3);
        sampler.prompt(new int[] {0});
        sampler.accept(1);

        assertThat(sampler.sample(Rows.of(3, 3, 2), 0, 3)).isEqualTo(2);
    }

    @Test
    void theRepetitionPenaltyLowersNegativeLogitsToo() {
        Sampler sampler = new Sampler(Rows.greedyWith(0, 0, 2, Rows.NO_BIAS), 2);
        sampler.prompt(new int[] {0});

        assertThat(sampler.sample(Rows.of(-1, -1.5f), 0, 2)).isEqualTo(1);
    }

    @Test
    void penaltiesHoldForHundredsOfDistinctTokens() {
        int vocabulary = 1000;
        Sampler sampler = new Sampler(Rows.greedyWith(2, 0, 1, Rows.NO_BIAS), vocabulary);
        MemorySegment equal = Rows.of(new float[vocabulary]);
        for (int token = 0; token < vocabulary; token++) {
            assertThat(sampler.sample(equal, 0, vocabulary)).isEqualTo(token);
            sampler.accept(token);
        }
    }

    @Test
    void theSameSeedDrawsTheSameTokens() {
        float[] logits = {1, 2, 3, 2, 1};
        int[] first = new int[200];
        int[] second = new int[200];
        Sampler a = new Sampler(Rows.drawn(1, 0.9f, 0, 0, 42), 5);
        Sampler b = new Sampler(Rows.drawn(1, 0.9f, 0, 0, 42), 5);
        for (int i = 0; i < first.length; i++) {
            first[i] = a.sample(Rows.of(logits), 0, 5);
            second[i] = b.sample(Rows.of(logits), 0, 5);
        }

        assertThat(first).isEqualTo(second);
    }

    @Test
    void drawsDoNotDependOnWhoElseUsesTheWorkspace() {
        SamplerWorkspace shared = new SamplerWorkspace(64);
        float[] logits = new float[64];
        for (int i = 0; i < logits.length; i++) {
            logits[i] = (float) Math.sin(i);
        }
        Sampler alone = new Sampler(Rows.drawn(1, 0.9f, 0, 0.01f, 7), 64);
        Sampler mixed = new Sampler(Rows.drawn(1, 0.9f, 0, 0.01f, 7), shared);
        Sampler other = new Sampler(new SamplingParameters(1, 1, 3, 0, 1, 0, 1, 9, Map.of(5, 10f)), shared);
        for (int i = 0; i < 100; i++) {
            int expected = alone.sample(Rows.of(logits), 0, 64);
            other.accept(other.sample(Rows.of(new float[50]), 0, 50));

            assertThat(mixed.sample(Rows.of(logits), 0, 64)).as("draw %d", i).isEqualTo(expected);
        }
    }

    @Test
    void theTiniestTemperatureStillTakesTheMostLikely() {
        Sampler sampler = new Sampler(Rows.drawn(Float.MIN_VALUE, 1, 0, 0, 1), 3);

        assertThat(sampler.sample(Rows.of(1, 1.5f, 1), 0, 3)).isEqualTo(1);
    }

    @Test
    void aRowLongerThanTheWorkspaceIsRefused() {
        Sampler sampler = new Sampler(SamplingParameters.greedy(), 3);

        assertThatThrownBy(() -> sampler.sample(Rows.of(1, 2, 3, 4), 0, 4)).isInstanceOf(IllegalArgumentException.class);
    }
}

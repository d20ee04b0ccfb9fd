package dev.ringside.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenProbabilitiesTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 33, 1000, 5000})
    void theLogarithmsAreThoseOfTheSoftmaxAtTemperatureOne(int vocabulary) {
        Random random = new Random(vocabulary);
        float[] logits = new float[vocabulary];
        for (int i = 0; i < vocabulary; i++) {
            logits[i] = random.nextFloat(-20, 20);
        }
        double[] expected = Rows.softmax(logits, 1);
        TokenProbabilities probabilities = new TokenProbabilities(new SamplerWorkspace(vocabulary));

        probabilities.read(Rows.of(logits), 0, vocabulary, 0);

        for (int i = 0; i < vocabulary; i++) {
            assertThat(probabilities.logarithm(i)).as("token %d", i).isCloseTo((float) Math.log(expected[i]), within(1e-5f));
        }
        assertThat(probabilities.top()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 20})
    void theMostLikelyTokensComeFirst(int top) {
        float[] logits = new float[100];
        Random random = new Random(top);
        for (int i = 0; i < logits.length; i++) {
            logits[i] = random.nextInt(30);
        }
        TokenProbabilities probabilities = new TokenProbabilities(new SamplerWorkspace(200));

        probabilities.read(Rows.of(logits), 0, logits.length, top);

        assertThat(probabilities.top()).isEqualTo(top);
        for (int rank = 1; rank < top; rank++) {
            int before = probabilities.topToken(rank - 1);
            int token = probabilities.topToken(rank);
            assertThat(logits[token] < logits[before] || logits[token] == logits[before] && token > before).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whatTheModelRulesOutHasNoProbability(int ruledOut) {
        float[] logits = {1, 2, 3};
        logits[ruledOut] = Float.NEGATIVE_INFINITY;
        TokenProbabilities probabilities = new TokenProbabilities(new SamplerWorkspace(3));

        probabilities.read(Rows.of(logits), 0, 3, 3);

        assertThat(probabilities.logarithm(ruledOut)).isEqualTo(Float.NEGATIVE_INFINITY);
        assertThat(probabilities.topToken(2)).isEqualTo(ruledOut);
    }
}

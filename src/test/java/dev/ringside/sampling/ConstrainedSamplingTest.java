package dev.ringside.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConstrainedSamplingTest {

    /** Allows what a set of bits says and counts. */
    private static final class Bits implements TokenConstraint {

        private final long[] bits;
        boolean restricts = true;
        private int accepted;

        Bits(int... allowed) {
            bits = new long[4];
            for (int token : allowed) {
                bits[token >> 6] |= 1L << token;
            }
        }

        @Override
        public boolean restricts() {
            return restricts;
        }

        @Override
        public long[] allowed() {
            return bits;
        }

        @Override
        public boolean allows(int token) {
            return (bits[token >> 6] >>> token & 1) != 0;
        }

        @Override
        public void accept(int token) {
            accepted++;
        }

        @Override
        public int accepted() {
            return accepted;
        }

        @Override
        public void rewind(int count) {
            accepted = count;
        }
    }

    private static Sampler sampler(SamplingParameters parameters, TokenConstraint constraint) {
        return new Sampler(parameters, new SamplerWorkspace(200), constraint);
    }

    private static float[] logits(int seed) {
        Random random = new Random(seed);
        float[] logits = new float[200];
        for (int i = 0; i < logits.length; i++) {
            logits[i] = random.nextFloat(-5, 5);
        }
        return logits;
    }

    @Test
    void theMostLikelyOfTheAllowedTokensIsTaken() {
        float[] logits = logits(1);
        logits[150] = 9;
        logits[70] = 8;
        Sampler sampler = sampler(SamplingParameters.greedy(), new Bits(3, 63, 64, 70, 199));

        assertThat(sampler.sample(Rows.of(logits), 0, 200)).isEqualTo(70);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 40})
    void onlyAllowedTokensAreDrawn(int topK) {
        Bits constraint = new Bits(0, 63, 64, 65, 127, 128, 199);
        Sampler sampler = sampler(Rows.drawn(1.5f, topK == 5 ? 0.9f : 1, topK, 0, 7), constraint);

        for (int i = 0; i < 300; i++) {
            assertThat(constraint.allows(sampler.sample(Rows.of(logits(2)), 0, 200))).isTrue();
        }
    }

    @Test
    void aBiasDoesNotBringBackWhatIsNotAllowed() {
        Sampler sampler = sampler(Rows.greedyWith(0, 0, 1, Map.of(5, 100f)), new Bits(6, 7));

        assertThat(sampler.sample(Rows.of(logits(3)), 0, 200)).isIn(6, 7);
    }

    @Test
    void aConstraintThatDoesNotRestrictChangesNothing() {
        Bits constraint = new Bits(1);
        constraint.restricts = false;
        Sampler free = sampler(Rows.drawn(1, 1, 0, 0, 11), null);
        Sampler followed = sampler(Rows.drawn(1, 1, 0, 0, 11), constraint);

        for (int i = 0; i < 50; i++) {
            assertThat(followed.sample(Rows.of(logits(i)), 0, 200)).isEqualTo(free.sample(Rows.of(logits(i)), 0, 200));
        }
    }

    @Test
    void itFollowsAcceptedTokensOnly() {
        Bits constraint = new Bits(1, 2);
        Sampler sampler = sampler(SamplingParameters.greedy(), constraint);

        sampler.sample(Rows.of(logits(4)), 0, 200);
        sampler.mostLikely(Rows.of(logits(4)), 0, 200);
        assertThat(constraint.accepted()).isZero();
        sampler.accept(1);
        assertThat(constraint.accepted()).isEqualTo(1);
    }

    @Test
    void allowingOnlyWhatTheModelCantSayIsAnError() {
        float[] logits = logits(5);
        logits[9] = Float.NEGATIVE_INFINITY;
        Sampler sampler = sampler(SamplingParameters.greedy(), new Bits(9));

        assertThatThrownBy(() -> sampler.sample(Rows.of(logits), 0, 200)).isInstanceOf(InvalidLogitsException.class);
    }

    @Test
    void theMostLikelyTokenIsWhatTemperatureZeroTakes() {
        Map<Integer, Float> bias = Map.of(3, 4f);
        SamplingParameters drawn = new SamplingParameters(1, 0.9f, 0, 0, 0.5f, 0.1f, 1.3f, 1, bias);
        SamplingParameters greedy = new SamplingParameters(0, 1, 0, 0, 0.5f, 0.1f, 1.3f, 1, bias);
        Sampler guessing = sampler(drawn, null);
        Sampler sure = sampler(greedy, null);

        for (int i = 0; i < 50; i++) {
            int token = sure.sample(Rows.of(logits(i)), 0, 200);
            assertThat(guessing.mostLikely(Rows.of(logits(i)), 0, 200)).isEqualTo(token);
            sure.accept(token);
            guessing.accept(token);
        }
    }
}

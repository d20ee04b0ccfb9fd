package dev.ringside.gpu.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.gpu.Formulas;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import jdk.incubator.vector.FloatVector;
import org.junit.jupiter.api.Test;

class VectorMathTest {

    private static final UnaryOperator<FloatVector> EXP = VectorMath::exp;

    @Test
    void expIsWithinElevenTenthsOfAnUlp() {
        assertThat(worstUlps(EXP, Math::exp, -87.3, 88.36)).isLessThan(1.1);
    }

    @Test
    void expOfVeryNegativeNumbersIsZero() {
        assertThat(apply(EXP, new float[] {-87.7f, -104.5f, -1e30f, Float.NEGATIVE_INFINITY})).containsExactly(0f, 0f, 0f, 0f);
    }

    @Test
    void expOverflowsToInfinityAndKeepsNaN() {
        assertThat(apply(EXP, new float[] {88.4f, 1e30f, Float.POSITIVE_INFINITY, Float.NaN, 0f, -0f})).containsExactly(
                Float.POSITIVE_INFINITY, Float.POSITIVE_INFINITY, Float.POSITIVE_INFINITY, Float.NaN, 1f, 1f);
    }

    @Test
    void sigmoidAndSiluAreWithinAFewUlps() {
        assertThat(worstUlps(VectorMath::sigmoid, Formulas::sigmoid, -80, 80)).isLessThan(2.5);
        assertThat(worstUlps(VectorMath::silu, Formulas::silu, -80, 80)).isLessThan(2.5);
    }

    @Test
    void sigmoidAndSoftplusSaturateWithoutNaN() {
        float[] x = {-1e30f, 1e30f, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY};
        assertThat(apply(VectorMath::sigmoid, x)).containsExactly(0f, 1f, 0f, 1f);
        assertThat(VectorMath.softplus(-1e30f)).isZero();
        assertThat(VectorMath.softplus(1e30f)).isEqualTo(1e30f);
        assertThat(VectorMath.softplus(20.5f)).isEqualTo(20.5f);
        assertThat(VectorMath.softplus(1f)).isEqualTo((float) Math.log1p(Math.E));
    }

    @Test
    void scalarTwinsHaveTheSameBits() {
        Random random = new Random(TestMemory.seed());
        float[] x = Formulas.random(random, 20_000, 40);
        float[] exp = apply(EXP, x);
        float[] sigmoid = apply(VectorMath::sigmoid, x);
        for (int i = 0; i < x.length; i++) {
            assertThat(VectorMath.exp(x[i])).as("exp(%s)", x[i]).isEqualTo(exp[i]);
            assertThat(VectorMath.sigmoid(x[i])).as("sigmoid(%s)", x[i]).isEqualTo(sigmoid[i]);
        }
    }

    @Test
    void aLaneDoesNotDependOnItsPlaceOrOnAMask() {
        Random random = new Random(TestMemory.seed());
        float[] x = Formulas.random(random, Vectors.LANES, 10);
        float[] whole = apply(EXP, x);
        for (int n = 1; n < Vectors.LANES; n++) {
            FloatVector v = FloatVector.fromArray(Vectors.FLOATS, x, 0, Vectors.first(n));
            float[] out = VectorMath.exp(v).toArray();
            for (int i = 0; i < n; i++) {
                assertThat(out[i]).isEqualTo(whole[i]);
            }
            assertThat(apply(EXP, new float[] {x[n]})[0]).isEqualTo(whole[n]);
        }
    }

    @Test
    void sumOfLanesAddsHalvesAsATree() {
        Random random = new Random(TestMemory.seed());
        float[] x = Formulas.random(random, Vectors.LANES, 1);
        float[] tree = x.clone();
        for (int half = tree.length / 2; half > 0; half /= 2) {
            for (int i = 0; i < half; i++) {
                tree[i] += tree[i + half];
            }
        }
        FloatVector v = FloatVector.fromArray(Vectors.FLOATS, x, 0);
        for (int i = 0; i < 20_000; i++) {
            assertThat(Vectors.sum(v) == tree[0]).as("round %d", i).isTrue();
        }
    }

    private static double worstUlps(UnaryOperator<FloatVector> function, DoubleUnaryOperator truth, double from, double to) {
        Random random = new Random(TestMemory.seed());
        float[] x = new float[200_000];
        for (int i = 0; i < x.length; i++) {
            x[i] = (float) (i % 2 == 0 ? random.nextDouble(from, to) : random.nextGaussian());
        }
        float[] y = apply(function, x);
        double worst = 0;
        for (int i = 0; i < x.length; i++) {
            double expected = truth.applyAsDouble(x[i]);
            if (Math.abs(expected) >= Float.MIN_NORMAL) {
                worst = Math.max(worst, Math.abs(y[i] - expected) / Math.ulp((float) expected));
            }
        }
        return worst;
    }

    private static float[] apply(UnaryOperator<FloatVector> function, float[] x) {
        float[] y = new float[x.length];
        for (int i = 0; i < x.length; i += Vectors.LANES) {
            var mask = Vectors.first(x.length - i);
            function.apply(FloatVector.fromArray(Vectors.FLOATS, x, i, mask)).intoArray(y, i, mask);
        }
        return y;
    }
}

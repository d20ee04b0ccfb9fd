package dev.ringside.gpu.host;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Exponential functions on vectors, and their scalar twins with the same bits.
 *
 * <p>Own polynomials instead of {@link VectorOperators#EXP}: that one calls a vector library from compiled code and {@link Math} from
 * interpreted code, so results would change while a process warms up. Here each lane runs the same rounded operations wherever it stands,
 * compiled or not, and in the scalar form.
 */
final class VectorMath {

    // Beyond these bounds 2^n is no normal float: results are 0 and infinity.
    private static final float EXP_LOWEST = -87.6f;
    private static final float EXP_HIGHEST = 88.37f;
    private static final float LOG2_E = (float) (1 / Math.log(2));
    /** Adding it rounds to a whole number n and leaves n + 127, the biased exponent of 2^n, in the low bits. */
    private static final float ROUNDER = 0x1.8p23f + 127;
    /** ln 2 in two parts; the first has 9 bits, so that n times it is exact. */
    private static final float LN2_HIGH = 355f / 512;
    private static final float LN2_LOW = (float) (Math.log(2) - 355.0 / 512);
    // Taylor series of e^r: for |r| <= ln(2)/2 the first term left out is below 5.2e-9.
    private static final float E2 = 1f / 2;
    private static final float E3 = 1f / 6;
    private static final float E4 = 1f / 24;
    private static final float E5 = 1f / 120;
    private static final float E6 = 1f / 720;
    private static final float E7 = 1f / 5040;
    private static final FloatVector E2_VECTOR = Vectors.broadcast(E2);
    private static final FloatVector E3_VECTOR = Vectors.broadcast(E3);
    private static final FloatVector E4_VECTOR = Vectors.broadcast(E4);
    private static final FloatVector E5_VECTOR = Vectors.broadcast(E5);
    private static final FloatVector MINUS_LN2_HIGH = Vectors.broadcast(-LN2_HIGH);
    private static final FloatVector MINUS_LN2_LOW = Vectors.broadcast(-LN2_LOW);

    private VectorMath() {}

    /** e^x within 1.1 ulp; 0 below 9e-39 and infinite above 2.4e38. */
    static FloatVector exp(FloatVector x) {
        FloatVector rounded = x.fma(LOG2_E, ROUNDER);
        FloatVector n = rounded.sub(ROUNDER);
        FloatVector r = n.fma(MINUS_LN2_LOW, n.fma(MINUS_LN2_HIGH, x));
        FloatVector p = r.fma(E7, E6);
        p = p.fma(r, E5_VECTOR);
        p = p.fma(r, E4_VECTOR);
        p = p.fma(r, E3_VECTOR);
        p = p.fma(r, E2_VECTOR);
        p = p.fma(r.mul(r), r).add(1f);
        FloatVector scale = rounded.reinterpretAsInts().lanewise(VectorOperators.LSHL, 23).reinterpretAsFloats();
        FloatVector y = p.mul(scale);
        return y.blend(0f, x.compare(VectorOperators.LT, EXP_LOWEST)).blend(Float.POSITIVE_INFINITY,
                x.compare(VectorOperators.GT, EXP_HIGHEST));
    }

    static float exp(float x) {
        float rounded = Math.fma(x, LOG2_E, ROUNDER);
        float n = rounded - ROUNDER;
        float r = Math.fma(n, -LN2_LOW, Math.fma(n, -LN2_HIGH, x));
        float p = Math.fma(r, E7, E6);
        p = Math.fma(p, r, E5);
        p = Math.fma(p, r, E4);
        p = Math.fma(p, r, E3);
        p = Math.fma(p, r, E2);
        p = Math.fma(p, r * r, r) + 1f;
        float y = p * Float.intBitsToFloat(Float.floatToRawIntBits(rounded) << 23);
        return x < EXP_LOWEST ? 0f : x > EXP_HIGHEST ? Float.POSITIVE_INFINITY : y;
    }

    /** 1 / (1 + e^-x). */
    static FloatVector sigmoid(FloatVector x) {
        return Vectors.broadcast(1f).div(exp(x.neg()).add(1f));
    }

    static float sigmoid(float x) {
        return 1f / (exp(-x) + 1f);
    }

    /** x / (1 + e^-x). */
    static FloatVector silu(FloatVector x) {
        return x.div(exp(x.neg()).add(1f));
    }

    /** ln(1 + e^x). */
    static float softplus(float x) {
        return x > 20 ? x : (float) StrictMath.log1p(StrictMath.exp(x));
    }
}

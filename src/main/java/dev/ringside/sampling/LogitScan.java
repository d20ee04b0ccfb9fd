package dev.ringside.sampling;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Passes over a whole row of logits, which for a vocabulary of 250,000 would otherwise cost as much as the kernels of a token. Results
 * do not depend on which compiler tier runs them: the order of every floating-point sum is fixed.
 */
final class LogitScan {

    static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
    /** Weights per partial sum: enough to keep the float sums short and the number of blocks small. */
    static final int BLOCK = 1024;

    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final float LOG2_E = 1.442695f;
    private static final float LN2_HIGH = 0.6933594f;
    private static final float LN2_LOW = -2.12194440e-4f;
    private static final float SMALLEST_EXPONENT = -87;

    private LogitScan() {}

    /** The largest value; NaN when any is NaN. */
    static float max(MemorySegment row, long offset, int count) {
        FloatVector best = FloatVector.broadcast(SPECIES, Float.NEGATIVE_INFINITY);
        int bound = SPECIES.loopBound(count);
        for (int i = 0; i < bound; i += SPECIES.length()) {
            best = best.max(FloatVector.fromMemorySegment(SPECIES, row, offset + 4L * i, ORDER));
        }
        float max = best.reduceLanes(VectorOperators.MAX);
        for (int i = bound; i < count; i++) {
            max = Math.max(max, row.get(JAVA_FLOAT_UNALIGNED, offset + 4L * i));
        }
        return max;
    }

    /** The largest value; NaN when any is NaN. */
    static float max(float[] row, int count) {
        FloatVector best = FloatVector.broadcast(SPECIES, Float.NEGATIVE_INFINITY);
        int bound = SPECIES.loopBound(count);
        for (int i = 0; i < bound; i += SPECIES.length()) {
            best = best.max(FloatVector.fromArray(SPECIES, row, i));
        }
        float max = best.reduceLanes(VectorOperators.MAX);
        for (int i = bound; i < count; i++) {
            max = Math.max(max, row[i]);
        }
        return max;
    }

    /** Index of the first element that equals {@code value}; one must. */
    static int firstIndexOf(float value, MemorySegment row, long offset, int count) {
        int bound = SPECIES.loopBound(count);
        for (int i = 0; i < bound; i += SPECIES.length()) {
            VectorMask<Float> equal = FloatVector.fromMemorySegment(SPECIES, row, offset + 4L * i, ORDER).eq(value);
            if (equal.anyTrue()) {
                return i + equal.firstTrue();
            }
        }
        for (int i = bound; i < count; i++) {
            if (row.get(JAVA_FLOAT_UNALIGNED, offset + 4L * i) == value) {
                return i;
            }
        }
        throw new IllegalStateException("No logit equals " + value);
    }

    /** Index of the first element that equals {@code value}; one must. */
    static int firstIndexOf(float value, float[] row, int count) {
        for (int i = 0; i < count; i++) {
            if (row[i] == value) {
                return i;
            }
        }
        throw new IllegalStateException("No logit equals " + value);
    }

    /**
     * {@code weights[i] = exp((row[i] - max) / temperature)}, 0 where {@code row[i] < floor}, and the sum of every {@link #BLOCK} of them.
     *
     * @param row length a multiple of the vector length, padded with negative infinity
     * @return the sum of all weights
     */
    static double weights(float[] row, float max, float temperature, float floor, float[] weights, double[] blockSums, float[] lanes) {
        double total = 0;
        for (int block = 0, start = 0; start < row.length; block++, start += BLOCK) {
            int end = Math.min(row.length, start + BLOCK);
            FloatVector sum = FloatVector.zero(SPECIES);
            for (int i = start; i < end; i += SPECIES.length()) {
                FloatVector logit = FloatVector.fromArray(SPECIES, row, i);
                FloatVector weight = exp(logit.sub(max).div(temperature)).blend(0f, logit.lt(floor));
                weight.intoArray(weights, i);
                sum = sum.add(weight);
            }
            sum.intoArray(lanes, 0);
            double blockSum = 0;
            for (float lane : lanes) {
                blockSum += lane;
            }
            blockSums[block] = blockSum;
            total += blockSum;
        }
        return total;
    }

    /**
     * e^x for x ≤ 0 within 2e-7 of the true value, relatively (Cephes {@code expf}: reduction by ln 2 in two parts, polynomial of degree 5);
     * 0 below -87. Written out because the library's vector exponential differs between compiled and interpreted code.
     */
    private static FloatVector exp(FloatVector x) {
        FloatVector clamped = x.max(SMALLEST_EXPONENT);
        // Truncating x - 0.5 rounds x to the nearest whole number, as x is never positive.
        FloatVector scaled = clamped.mul(LOG2_E).sub(0.5f);
        var exponent = scaled.convert(VectorOperators.F2I, 0).reinterpretAsInts();
        FloatVector whole = (FloatVector) exponent.convert(VectorOperators.I2F, 0);
        FloatVector r = clamped.sub(whole.mul(LN2_HIGH)).sub(whole.mul(LN2_LOW));
        FloatVector p = r.mul(1.9875691e-4f).add(1.3981999e-3f);
        p = p.mul(r).add(8.333452e-3f);
        p = p.mul(r).add(4.1665796e-2f);
        p = p.mul(r).add(0.16666666f);
        p = p.mul(r).add(0.5f);
        p = p.mul(r).mul(r).add(r).add(1f);
        FloatVector power = exponent.add(127).lanewise(VectorOperators.LSHL, 23).reinterpretAsFloats();
        return p.mul(power).blend(0f, x.lt(SMALLEST_EXPONENT));
    }
}

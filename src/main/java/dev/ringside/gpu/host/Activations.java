package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.HostMemory.ALL;
import static dev.ringside.gpu.host.HostMemory.FLOAT;
import static dev.ringside.gpu.host.Vectors.FLOATS;
import static dev.ringside.gpu.host.Vectors.LANES;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Exponential functions of runs of floats.
 *
 * <p>One method serves all of them on purpose. The compiler stops inlining when a method has grown to 18,000 nodes, which three of
 * {@link VectorMath#exp} are enough for, and whatever vector crosses a call then becomes an object on the heap. {@link #apply} is too long
 * to be inlined anywhere (more than 325 bytes of bytecode), so it is always compiled by itself, where all of it fits.
 *
 * <p>The receiver of a vector operation is one just loaded or computed, never one carried around a loop. The class of the former is known
 * to the compiler; that of the latter it only learns from calls of the same operation seen so far, anywhere in the process. {@code max} is
 * called nowhere else, so that it stayed a virtual call, with both vectors on the heap (400 bytes a head and token), whenever networks had
 * made this method hot before attention did.
 */
final class Activations {

    private static final int EXP = 0;
    private static final int SIGMOID = 1;
    private static final int SILU = 2;

    private Activations() {}

    /** {@code x = exp(x - max(x))}; returns the sum, in an order that depends only on the count. */
    static float softmaxWeights(long x, int count) {
        return apply(EXP, x, 1f, count, x);
    }

    /** {@code out = sigmoid(scale * x)}; in place when x is out. */
    static void sigmoid(long x, float scale, int count, long out) {
        apply(SIGMOID, x, scale, count, out);
    }

    /** {@code out = silu(scale * x)}; in place when x is out. */
    static void silu(long x, float scale, int count, long out) {
        apply(SILU, x, scale, count, out);
    }

    private static float apply(int function, long x, float scale, int count, long out) {
        int whole = count & -LANES;
        float shift = 0f;
        if (function == EXP) {
            FloatVector max = FloatVector.broadcast(FLOATS, Float.NEGATIVE_INFINITY);
            for (int i = 0; i < whole; i += LANES) {
                max = fromMemorySegment(FLOATS, ALL, x + 4L * i, LITTLE_ENDIAN).max(max);
            }
            float greatest = max.reduceLanes(VectorOperators.MAX);
            for (int i = whole; i < count; i++) {
                greatest = Math.max(greatest, ALL.get(FLOAT, x + 4L * i));
            }
            shift = -greatest;
        }
        FloatVector sum = FloatVector.zero(FLOATS);
        float sign = function == EXP ? 1f : -1f;
        for (int i = 0; i < whole; i += LANES) {
            FloatVector v = fromMemorySegment(FLOATS, ALL, x + 4L * i, LITTLE_ENDIAN).fma(scale, shift);
            FloatVector y = VectorMath.exp(v.mul(sign));
            if (function == EXP) {
                sum = y.add(sum);
            } else if (function == SIGMOID) {
                y = FloatVector.broadcast(FLOATS, 1f).div(y.add(1f));
            } else {
                y = v.div(y.add(1f));
            }
            y.intoMemorySegment(ALL, out + 4L * i, LITTLE_ENDIAN);
        }
        float tail = 0f;
        for (int i = whole; i < count; i++) {
            float v = Math.fma(ALL.get(FLOAT, x + 4L * i), scale, shift);
            float y = VectorMath.exp(v * sign);
            if (function == EXP) {
                tail += y;
            } else {
                y = (function == SIGMOID ? 1f : v) / (y + 1f);
            }
            ALL.set(FLOAT, out + 4L * i, y);
        }
        // Vectors.sum, written out: a call might not be inlined here
        FloatVector v = sum;
        if (LANES > 8) {
            v = v.add(v.rearrange(Vectors.SWAP_8));
        }
        if (LANES > 4) {
            v = v.add(v.rearrange(Vectors.SWAP_4));
        }
        v = v.add(v.rearrange(Vectors.SWAP_2));
        return v.add(v.rearrange(Vectors.SWAP_1)).lane(0) + tail;
    }
}

package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.HostMemory.ALL;
import static dev.ringside.gpu.host.HostMemory.FLOAT;
import static dev.ringside.gpu.host.Vectors.FLOATS;
import static dev.ringside.gpu.host.Vectors.LANES;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import jdk.incubator.vector.FloatVector;

/**
 * Dot products of two queries with four keys at a time: six loads for eight products. A product's bits depend only on its two vectors, so
 * callers fill odd places with any valid address and ignore what comes out.
 */
final class KeyDots {

    static final int KEYS = 4;
    /** Products of one call: those of the first query, then those of the second. */
    static final int PRODUCTS = 2 * KEYS;

    private KeyDots() {}

    /** @param sums scratch memory of {@link #PRODUCTS} vectors */
    static void dot(long first, long second, long k0, long k1, long k2, long k3, int count, long sums, float[] out) {
        accumulate(first, second, k0, k1, k2, k3, count, sums);
        reduce(sums, out);
        int whole = count & -LANES;
        if (whole < count) {
            long offset = 4L * whole;
            int rest = count - whole;
            out[0] += tail(first + offset, k0 + offset, rest);
            out[1] += tail(first + offset, k1 + offset, rest);
            out[2] += tail(first + offset, k2 + offset, rest);
            out[3] += tail(first + offset, k3 + offset, rest);
            out[4] += tail(second + offset, k0 + offset, rest);
            out[5] += tail(second + offset, k1 + offset, rest);
            out[6] += tail(second + offset, k2 + offset, rest);
            out[7] += tail(second + offset, k3 + offset, rest);
        }
    }

    /** For head sizes that are no multiple of a vector; no known model has one. */
    private static float tail(long query, long key, int count) {
        float sum = 0f;
        for (int i = 0; i < count; i++) {
            sum = Math.fma(ALL.get(FLOAT, query + 4L * i), ALL.get(FLOAT, key + 4L * i), sum);
        }
        return sum;
    }

    private static void accumulate(long first, long second, long k0, long k1, long k2, long k3, int count, long sums) {
        FloatVector a0 = FloatVector.zero(FLOATS);
        FloatVector a1 = a0;
        FloatVector a2 = a0;
        FloatVector a3 = a0;
        FloatVector b0 = a0;
        FloatVector b1 = a0;
        FloatVector b2 = a0;
        FloatVector b3 = a0;
        int whole = count & -LANES;
        for (int i = 0; i < whole; i += LANES) {
            long offset = 4L * i;
            FloatVector a = fromMemorySegment(FLOATS, ALL, first + offset, LITTLE_ENDIAN);
            FloatVector b = fromMemorySegment(FLOATS, ALL, second + offset, LITTLE_ENDIAN);
            FloatVector k = fromMemorySegment(FLOATS, ALL, k0 + offset, LITTLE_ENDIAN);
            a0 = a.fma(k, a0);
            b0 = b.fma(k, b0);
            k = fromMemorySegment(FLOATS, ALL, k1 + offset, LITTLE_ENDIAN);
            a1 = a.fma(k, a1);
            b1 = b.fma(k, b1);
            k = fromMemorySegment(FLOATS, ALL, k2 + offset, LITTLE_ENDIAN);
            a2 = a.fma(k, a2);
            b2 = b.fma(k, b2);
            k = fromMemorySegment(FLOATS, ALL, k3 + offset, LITTLE_ENDIAN);
            a3 = a.fma(k, a3);
            b3 = b.fma(k, b3);
        }
        a0.intoMemorySegment(ALL, sums, LITTLE_ENDIAN);
        a1.intoMemorySegment(ALL, sums + 4L * LANES, LITTLE_ENDIAN);
        a2.intoMemorySegment(ALL, sums + 8L * LANES, LITTLE_ENDIAN);
        a3.intoMemorySegment(ALL, sums + 12L * LANES, LITTLE_ENDIAN);
        b0.intoMemorySegment(ALL, sums + 16L * LANES, LITTLE_ENDIAN);
        b1.intoMemorySegment(ALL, sums + 20L * LANES, LITTLE_ENDIAN);
        b2.intoMemorySegment(ALL, sums + 24L * LANES, LITTLE_ENDIAN);
        b3.intoMemorySegment(ALL, sums + 28L * LANES, LITTLE_ENDIAN);
    }

    /** Adds up the lanes, as {@link Vectors#sum} does. */
    private static void reduce(long sums, float[] out) {
        for (int i = 0; i < PRODUCTS; i++) {
            FloatVector v = fromMemorySegment(FLOATS, ALL, sums + 4L * LANES * i, LITTLE_ENDIAN);
            if (LANES > 8) {
                v = v.add(v.rearrange(Vectors.SWAP_8));
            }
            if (LANES > 4) {
                v = v.add(v.rearrange(Vectors.SWAP_4));
            }
            v = v.add(v.rearrange(Vectors.SWAP_2));
            out[i] = v.add(v.rearrange(Vectors.SWAP_1)).lane(0);
        }
    }
}

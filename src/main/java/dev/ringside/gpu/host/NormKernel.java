package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.HostMemory.ALL;
import static dev.ringside.gpu.host.HostMemory.FLOAT;
import static dev.ringside.gpu.host.Vectors.FLOATS;
import static dev.ringside.gpu.host.Vectors.LANES;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/**
 * RMS norm of one run of floats, and the loops it is made of. Results depend only on the run and its length.
 *
 * <p>Loops call the Vector API directly, here and in the other kernels: its methods are inlined whatever happens, whereas a helper of ours
 * that is left out (see {@link Activations}) would put a vector on the heap for each call.
 */
final class NormKernel {

    private NormKernel() {}

    /** Dot product. */
    static float dot(long x, long y, int count) {
        FloatVector a = FloatVector.zero(FLOATS);
        FloatVector b = FloatVector.zero(FLOATS);
        FloatVector c = FloatVector.zero(FLOATS);
        FloatVector d = FloatVector.zero(FLOATS);
        long step = 4L * LANES;
        int i = 0;
        for (; i <= count - 4 * LANES; i += 4 * LANES) {
            long at = x + 4L * i;
            long with = y + 4L * i;
            a = fromMemorySegment(FLOATS, ALL, at, LITTLE_ENDIAN).fma(fromMemorySegment(FLOATS, ALL, with, LITTLE_ENDIAN), a);
            at += step;
            with += step;
            b = fromMemorySegment(FLOATS, ALL, at, LITTLE_ENDIAN).fma(fromMemorySegment(FLOATS, ALL, with, LITTLE_ENDIAN), b);
            at += step;
            with += step;
            c = fromMemorySegment(FLOATS, ALL, at, LITTLE_ENDIAN).fma(fromMemorySegment(FLOATS, ALL, with, LITTLE_ENDIAN), c);
            at += step;
            with += step;
            d = fromMemorySegment(FLOATS, ALL, at, LITTLE_ENDIAN).fma(fromMemorySegment(FLOATS, ALL, with, LITTLE_ENDIAN), d);
        }
        for (; i <= count - LANES; i += LANES) {
            a = fromMemorySegment(FLOATS, ALL, x + 4L * i, LITTLE_ENDIAN).fma(fromMemorySegment(FLOATS, ALL, y + 4L * i, LITTLE_ENDIAN), a);
        }
        float tail = 0f;
        for (; i < count; i++) {
            tail = Math.fma(ALL.get(FLOAT, x + 4L * i), ALL.get(FLOAT, y + 4L * i), tail);
        }
        // Vectors.sum, written out: a call might not be inlined here
        FloatVector v = a.add(b).add(c.add(d));
        if (LANES > 8) {
            v = v.add(v.rearrange(Vectors.SWAP_8));
        }
        if (LANES > 4) {
            v = v.add(v.rearrange(Vectors.SWAP_4));
        }
        v = v.add(v.rearrange(Vectors.SWAP_2));
        return v.add(v.rearrange(Vectors.SWAP_1)).lane(0) + tail;
    }

    /** {@code 1 / sqrt(mean(x^2) + epsilon)}. */
    static float inverseRms(long x, int count, float epsilon) {
        return (float) (1 / Math.sqrt((double) dot(x, x, count) / count + epsilon));
    }

    /** {@code out = x * scale * weight}; in place when x is out. */
    static void scale(long x, float scale, long weight, int count, long out) {
        int whole = count & -LANES;
        for (int i = 0; i < whole; i += LANES) {
            long offset = 4L * i;
            fromMemorySegment(FLOATS, ALL, x + offset, LITTLE_ENDIAN).mul(scale)
                    .mul(fromMemorySegment(FLOATS, ALL, weight + offset, LITTLE_ENDIAN))
                    .intoMemorySegment(ALL, out + offset, LITTLE_ENDIAN);
        }
        for (int i = whole; i < count; i++) {
            long offset = 4L * i;
            ALL.set(FLOAT, out + offset, ALL.get(FLOAT, x + offset) * scale * ALL.get(FLOAT, weight + offset));
        }
    }

    /** {@code out = x * scale}; in place when x is out. */
    static void scale(long x, float scale, int count, long out) {
        int whole = count & -LANES;
        for (int i = 0; i < whole; i += LANES) {
            long offset = 4L * i;
            fromMemorySegment(FLOATS, ALL, x + offset, LITTLE_ENDIAN).mul(scale).intoMemorySegment(ALL, out + offset, LITTLE_ENDIAN);
        }
        for (int i = whole; i < count; i++) {
            long offset = 4L * i;
            ALL.set(FLOAT, out + offset, ALL.get(FLOAT, x + offset) * scale);
        }
    }

    /** Multiplies {@code count} elements, from {@code offset} on, of the rows {@code from} to {@code to} - 1 by a factor. */
    static void scaleRows(long[] rows, int from, int to, int offset, int count, float scale) {
        if (scale == 1) {
            return;
        }
        for (int row = from; row < to; row++) {
            long at = rows[row] + 4L * offset;
            scale(at, scale, count, at);
        }
    }

    /** {@code out = x / sqrt(mean(x^2) + epsilon) * weight}; in place when x is out. */
    static void rmsNorm(long x, long weight, int count, float epsilon, long out) {
        scale(x, inverseRms(x, count, epsilon), weight, count, out);
    }

    /** {@code x *= y}, element by element. */
    static void multiply(long x, long y, int count) {
        int whole = count & -LANES;
        for (int i = 0; i < whole; i += LANES) {
            long offset = 4L * i;
            fromMemorySegment(FLOATS, ALL, x + offset, LITTLE_ENDIAN).mul(fromMemorySegment(FLOATS, ALL, y + offset, LITTLE_ENDIAN))
                    .intoMemorySegment(ALL, x + offset, LITTLE_ENDIAN);
        }
        for (int i = whole; i < count; i++) {
            long offset = 4L * i;
            ALL.set(FLOAT, x + offset, ALL.get(FLOAT, x + offset) * ALL.get(FLOAT, y + offset));
        }
    }

    /** {@code sum += scale * x}, rounded once. */
    static void add(long x, float scale, int count, long sum) {
        int whole = count & -LANES;
        FloatVector factor = FloatVector.broadcast(FLOATS, scale);
        for (int i = 0; i < whole; i += LANES) {
            long offset = 4L * i;
            fromMemorySegment(FLOATS, ALL, x + offset, LITTLE_ENDIAN)
                    .fma(factor, fromMemorySegment(FLOATS, ALL, sum + offset, LITTLE_ENDIAN))
                    .intoMemorySegment(ALL, sum + offset, LITTLE_ENDIAN);
        }
        for (int i = whole; i < count; i++) {
            long offset = 4L * i;
            ALL.set(FLOAT, sum + offset, Math.fma(ALL.get(FLOAT, x + offset), scale, ALL.get(FLOAT, sum + offset)));
        }
    }

    /** {@code sum += x * y}, rounded once. */
    static void addProduct(long x, long y, int count, long sum) {
        int whole = count & -LANES;
        for (int i = 0; i < whole; i += LANES) {
            long offset = 4L * i;
            fromMemorySegment(FLOATS, ALL, x + offset, LITTLE_ENDIAN)
                    .fma(fromMemorySegment(FLOATS, ALL, y + offset, LITTLE_ENDIAN),
                            fromMemorySegment(FLOATS, ALL, sum + offset, LITTLE_ENDIAN))
                    .intoMemorySegment(ALL, sum + offset, LITTLE_ENDIAN);
        }
        for (int i = whole; i < count; i++) {
            long offset = 4L * i;
            ALL.set(FLOAT, sum + offset,
                    Math.fma(ALL.get(FLOAT, x + offset), ALL.get(FLOAT, y + offset), ALL.get(FLOAT, sum + offset)));
        }
    }

    /** {@code x = 0}. */
    static void zero(long x, int count) {
        for (int i = 0; i < count; i += LANES) {
            VectorMask<Float> mask = FLOATS.indexInRange(i, count);
            FloatVector.zero(FLOATS).intoMemorySegment(ALL, x + 4L * i, LITTLE_ENDIAN, mask);
        }
    }
}

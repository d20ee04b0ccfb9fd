package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.HostMemory.ALL;
import static dev.ringside.gpu.host.HostMemory.FLOAT;
import static dev.ringside.gpu.host.Vectors.FLOATS;
import static dev.ringside.gpu.host.Vectors.LANES;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/** The weighted sum of values. */
final class AttentionKernel {

    private AttentionKernel() {}

    /** Adds {@code count} weighted rows to the sums of two heads, one row after the other. */
    static void addValues(long[] rows, int count, long weightsA, long weightsB, int headSize, long outA, long outB) {
        int step = 4 * LANES;
        int i = 0;
        for (; i <= headSize - step; i += step) {
            addFour(rows, count, weightsA, weightsB, 4L * i, outA, outB);
        }
        for (; i < headSize; i += LANES) {
            addOne(rows, count, weightsA, weightsB, 4L * i, outA, outB, headSize - i);
        }
    }

    private static void addFour(long[] rows, int count, long weightsA, long weightsB, long offset, long outA, long outB) {
        long o1 = offset + 4L * LANES;
        long o2 = o1 + 4L * LANES;
        long o3 = o2 + 4L * LANES;
        FloatVector a0 = fromMemorySegment(FLOATS, ALL, outA + offset, LITTLE_ENDIAN);
        FloatVector a1 = fromMemorySegment(FLOATS, ALL, outA + o1, LITTLE_ENDIAN);
        FloatVector a2 = fromMemorySegment(FLOATS, ALL, outA + o2, LITTLE_ENDIAN);
        FloatVector a3 = fromMemorySegment(FLOATS, ALL, outA + o3, LITTLE_ENDIAN);
        FloatVector b0 = fromMemorySegment(FLOATS, ALL, outB + offset, LITTLE_ENDIAN);
        FloatVector b1 = fromMemorySegment(FLOATS, ALL, outB + o1, LITTLE_ENDIAN);
        FloatVector b2 = fromMemorySegment(FLOATS, ALL, outB + o2, LITTLE_ENDIAN);
        FloatVector b3 = fromMemorySegment(FLOATS, ALL, outB + o3, LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            FloatVector a = FloatVector.broadcast(FLOATS, ALL.get(FLOAT, weightsA + 4L * i));
            FloatVector b = FloatVector.broadcast(FLOATS, ALL.get(FLOAT, weightsB + 4L * i));
            FloatVector v = fromMemorySegment(FLOATS, ALL, rows[i] + offset, LITTLE_ENDIAN);
            a0 = v.fma(a, a0);
            b0 = v.fma(b, b0);
            v = fromMemorySegment(FLOATS, ALL, rows[i] + o1, LITTLE_ENDIAN);
            a1 = v.fma(a, a1);
            b1 = v.fma(b, b1);
            v = fromMemorySegment(FLOATS, ALL, rows[i] + o2, LITTLE_ENDIAN);
            a2 = v.fma(a, a2);
            b2 = v.fma(b, b2);
            v = fromMemorySegment(FLOATS, ALL, rows[i] + o3, LITTLE_ENDIAN);
            a3 = v.fma(a, a3);
            b3 = v.fma(b, b3);
        }
        a0.intoMemorySegment(ALL, outA + offset, LITTLE_ENDIAN);
        a1.intoMemorySegment(ALL, outA + o1, LITTLE_ENDIAN);
        a2.intoMemorySegment(ALL, outA + o2, LITTLE_ENDIAN);
        a3.intoMemorySegment(ALL, outA + o3, LITTLE_ENDIAN);
        b0.intoMemorySegment(ALL, outB + offset, LITTLE_ENDIAN);
        b1.intoMemorySegment(ALL, outB + o1, LITTLE_ENDIAN);
        b2.intoMemorySegment(ALL, outB + o2, LITTLE_ENDIAN);
        b3.intoMemorySegment(ALL, outB + o3, LITTLE_ENDIAN);
    }

    private static void addOne(long[] rows, int count, long weightsA, long weightsB, long offset, long outA, long outB,
            int remaining) {
        VectorMask<Float> mask = FLOATS.indexInRange(0, remaining);
        FloatVector a = fromMemorySegment(FLOATS, ALL, outA + offset, LITTLE_ENDIAN, mask);
        FloatVector b = fromMemorySegment(FLOATS, ALL, outB + offset, LITTLE_ENDIAN, mask);
        for (int i = 0; i < count; i++) {
            FloatVector v = fromMemorySegment(FLOATS, ALL, rows[i] + offset, LITTLE_ENDIAN, mask);
            a = v.fma(FloatVector.broadcast(FLOATS, ALL.get(FLOAT, weightsA + 4L * i)), a);
            b = v.fma(FloatVector.broadcast(FLOATS, ALL.get(FLOAT, weightsB + 4L * i)), b);
        }
        a.intoMemorySegment(ALL, outA + offset, LITTLE_ENDIAN, mask);
        b.intoMemorySegment(ALL, outB + offset, LITTLE_ENDIAN, mask);
    }
}

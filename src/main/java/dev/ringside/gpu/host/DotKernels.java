package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.HostMemory.ALL;
import static dev.ringside.gpu.host.Lanes.BYTES;
import static dev.ringside.gpu.host.Lanes.COUNT;
import static dev.ringside.gpu.host.Vectors.FLOATS;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;

/**
 * Dot products of float rows. Every product of the CPU backend is summed in one order: vector i of a row goes to accumulator i % 2, the two
 * are added, and their lanes as a tree; to that comes the sum of the elements that do not fill two vectors. {@link Tiles} only compute several
 * such sums at once.
 */
final class DotKernels {

    // Lanes whose number has a bit set, and the order that halving four times leaves sums in.
    private static final VectorMask<Float> UPPER_8 = VectorMask.fromLong(FLOATS, lanes(0xFF00));
    private static final VectorMask<Float> UPPER_4 = VectorMask.fromLong(FLOATS, lanes(0xF0F0));
    private static final VectorMask<Float> UPPER_2 = VectorMask.fromLong(FLOATS, lanes(0xCCCC));
    private static final VectorMask<Float> UPPER_1 = VectorMask.fromLong(FLOATS, lanes(0xAAAA));
    private static final VectorShuffle<Float> REVERSED = VectorShuffle.fromOp(FLOATS, lane -> Integer.reverse(lane) >>> 28 & COUNT - 1);

    private DotKernels() {}

    private static long lanes(long bits) {
        return bits & (1L << COUNT) - 1;
    }

    /** One product. Too long to be inlined on purpose, like the kernels of {@link StoredDots}. */
    static float dot(long w, long x, int columns) {
        FloatVector a0 = FloatVector.zero(FLOATS);
        FloatVector a1 = FloatVector.zero(FLOATS);
        int paired = columns & -2 * COUNT;
        int i = 0;
        for (; i <= paired - 4 * COUNT; i += 4 * COUNT) {
            long v = w + 4L * i;
            long u = x + 4L * i;
            a0 = fromMemorySegment(FLOATS, ALL, v, LITTLE_ENDIAN).fma(fromMemorySegment(FLOATS, ALL, u, LITTLE_ENDIAN), a0);
            a1 = fromMemorySegment(FLOATS, ALL, v + 1 * BYTES, LITTLE_ENDIAN)
                    .fma(fromMemorySegment(FLOATS, ALL, u + 1 * BYTES, LITTLE_ENDIAN), a1);
            a0 = fromMemorySegment(FLOATS, ALL, v + 2 * BYTES, LITTLE_ENDIAN)
                    .fma(fromMemorySegment(FLOATS, ALL, u + 2 * BYTES, LITTLE_ENDIAN), a0);
            a1 = fromMemorySegment(FLOATS, ALL, v + 3 * BYTES, LITTLE_ENDIAN)
                    .fma(fromMemorySegment(FLOATS, ALL, u + 3 * BYTES, LITTLE_ENDIAN), a1);
        }
        for (; i < paired; i += 2 * COUNT) {
            long v = w + 4L * i;
            long u = x + 4L * i;
            a0 = fromMemorySegment(FLOATS, ALL, v, LITTLE_ENDIAN).fma(fromMemorySegment(FLOATS, ALL, u, LITTLE_ENDIAN), a0);
            a1 = fromMemorySegment(FLOATS, ALL, v + 1 * BYTES, LITTLE_ENDIAN)
                    .fma(fromMemorySegment(FLOATS, ALL, u + 1 * BYTES, LITTLE_ENDIAN), a1);
        }
        // Vectors.sum, written out: a call might not be inlined here
        FloatVector v = a0.add(a1);
        if (COUNT > 8) {
            v = v.add(v.rearrange(Vectors.SWAP_8));
        }
        if (COUNT > 4) {
            v = v.add(v.rearrange(Vectors.SWAP_4));
        }
        v = v.add(v.rearrange(Vectors.SWAP_2));
        float sum = v.add(v.rearrange(Vectors.SWAP_1)).lane(0);
        return paired == columns ? sum : sum + rest(w, x, paired, columns);
    }

    /** Apart from the sums of vectors, since a vector that lives across a branch is boxed. */
    private static float rest(long w, long x, int from, int columns) {
        int i = from;
        float sum = 0;
        if (columns - i >= COUNT) {
            sum = Vectors.sum(Vectors.load(w + 4L * i).mul(Vectors.load(x + 4L * i)));
            i += COUNT;
        }
        for (; i < columns; i++) {
            sum = Math.fma(HostMemory.getFloat(w + 4L * i), HostMemory.getFloat(x + 4L * i), sum);
        }
        return sum;
    }

    /** What the elements that do not fill two vectors add to a product, if there are any. */
    static float addRest(float sum, long w, long x, int columns) {
        int paired = columns & -2 * COUNT;
        return paired == columns ? sum : sum + rest(w, x, paired, columns);
    }

    /** Adds up the accumulators of {@code products} products: the results are then the first elements of {@code sums}. */
    static void reduce(float[] sums, int products) {
        for (int p = 0; p < products; p++) {
            FloatVector a0 = FloatVector.fromArray(Vectors.FLOATS, sums, 2 * COUNT * p);
            a0.add(FloatVector.fromArray(Vectors.FLOATS, sums, 2 * COUNT * p + COUNT)).intoArray(sums, COUNT * p);
        }
        reduceLanes(sums, products);
    }

    /**
     * Adds up the lanes of vectors, in place: the sum of vector i becomes element i. Up to {@link #COUNT} - 1 vectors behind the last are
     * overwritten.
     */
    static void reduceLanes(float[] sums, int vectors) {
        if (COUNT == 16) {
            for (int from = 0; from < vectors; from += 16) {
                halve(sums, 16 * from, 8, Vectors.SWAP_8, UPPER_8);
                halve(sums, 16 * from, 4, Vectors.SWAP_4, UPPER_4);
                halve(sums, 16 * from, 2, Vectors.SWAP_2, UPPER_2);
                halve(sums, 16 * from, 1, Vectors.SWAP_1, UPPER_1);
                FloatVector.fromArray(Vectors.FLOATS, sums, 16 * from).rearrange(REVERSED).intoArray(sums, from);
            }
        } else {
            for (int i = 0; i < vectors; i++) {
                sums[i] = Vectors.sum(FloatVector.fromArray(Vectors.FLOATS, sums, COUNT * i));
            }
        }
    }

    /**
     * One step of the tree of {@link Vectors#sum} for two vectors at a time: the first leaves its sums in the lanes that are not in the mask,
     * the second in the others.
     */
    private static void halve(float[] sums, int at, int results, VectorShuffle<Float> swap, VectorMask<Float> upper) {
        for (int i = 0; i < results; i++) {
            FloatVector first = FloatVector.fromArray(Vectors.FLOATS, sums, at + 32 * i);
            FloatVector second = FloatVector.fromArray(Vectors.FLOATS, sums, at + 32 * i + 16);
            first.blend(second, upper).add(second.blend(first, upper).rearrange(swap)).intoArray(sums, at + 16 * i);
        }
    }
}

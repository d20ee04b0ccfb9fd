package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.HostMemory.ALL;
import static dev.ringside.gpu.host.Lanes.BYTES;
import static dev.ringside.gpu.host.Lanes.COUNT;
import static dev.ringside.gpu.host.Vectors.FLOATS;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import jdk.incubator.vector.FloatVector;

/**
 * Dot products of float rows. Every product of the CPU backend is summed in one order: vector i of a row goes to accumulator i % 2, the two
 * are added, and their lanes as a tree; to that comes the sum of the elements that do not fill two vectors. Tiles only compute several such
 * sums at once.
 */
final class DotKernels {

    /** Rows of weights of a tile. */
    static final int TILE_ROWS = COUNT == 16 ? 4 : 2;
    /** Rows of x of a tile. */
    static final int TILE_COLUMNS = 4;

    private DotKernels() {}

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

    /**
     * Rows of weights against four rows of x, over the bytes {@code from} to {@code to} - 1 of each, whole pairs of vectors. Adds to the two
     * accumulators of each product at {@code at} in {@code sums}: first those of the first row of weights with x0 to x3.
     *
     * @param stride bytes from a row of weights to the next
     * @param last the last row of weights there is, at most {@link #TILE_ROWS} - 1; missing ones are the last computed again
     */
    static void tile(long w, long stride, int last, long x0, long x1, long x2, long x3, int from, int to, float[] sums, int at) {
        long w1 = w + stride * Math.min(1, last);
        for (int parity = 0; parity < 2; parity++) {
            int first = from + parity * Lanes.BYTES;
            if (TILE_ROWS == 2) {
                tile2x4(w, w1, x0, x1, x2, x3, first, to, sums, at + parity * COUNT);
            } else {
                tile4x4(w, w1, w + stride * Math.min(2, last), w + stride * last, x0, x1, x2, x3, first, to, sums, at + parity * COUNT);
            }
        }
    }

    // Every second vector in a pass: the compiler stops inlining vector operations in a method with too many of them, and then boxes each.

    /** For sixteen lanes, where there are 32 registers: 104 GFLOP/s of a core where two rows of weights give 84. */
    private static void tile4x4(long w, long w1, long w2, long w3, long x0, long x1, long x2, long x3, int from, int to, float[] sums,
            int at) {
        FloatVector a0 = FloatVector.fromArray(Vectors.FLOATS, sums, at);
        FloatVector a1 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 2 * COUNT);
        FloatVector a2 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 4 * COUNT);
        FloatVector a3 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 6 * COUNT);
        FloatVector b0 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 8 * COUNT);
        FloatVector b1 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 10 * COUNT);
        FloatVector b2 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 12 * COUNT);
        FloatVector b3 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 14 * COUNT);
        FloatVector c0 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 16 * COUNT);
        FloatVector c1 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 18 * COUNT);
        FloatVector c2 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 20 * COUNT);
        FloatVector c3 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 22 * COUNT);
        FloatVector d0 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 24 * COUNT);
        FloatVector d1 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 26 * COUNT);
        FloatVector d2 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 28 * COUNT);
        FloatVector d3 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 30 * COUNT);
        for (int i = from; i < to; i += 2 * Lanes.BYTES) {
            FloatVector s = Vectors.load(w + i);
            FloatVector t = Vectors.load(w1 + i);
            FloatVector u = Vectors.load(w2 + i);
            FloatVector v = Vectors.load(w3 + i);
            FloatVector x = Vectors.load(x0 + i);
            a0 = s.fma(x, a0);
            b0 = t.fma(x, b0);
            c0 = u.fma(x, c0);
            d0 = v.fma(x, d0);
            x = Vectors.load(x1 + i);
            a1 = s.fma(x, a1);
            b1 = t.fma(x, b1);
            c1 = u.fma(x, c1);
            d1 = v.fma(x, d1);
            x = Vectors.load(x2 + i);
            a2 = s.fma(x, a2);
            b2 = t.fma(x, b2);
            c2 = u.fma(x, c2);
            d2 = v.fma(x, d2);
            x = Vectors.load(x3 + i);
            a3 = s.fma(x, a3);
            b3 = t.fma(x, b3);
            c3 = u.fma(x, c3);
            d3 = v.fma(x, d3);
        }
        a0.intoArray(sums, at);
        a1.intoArray(sums, at + 2 * COUNT);
        a2.intoArray(sums, at + 4 * COUNT);
        a3.intoArray(sums, at + 6 * COUNT);
        b0.intoArray(sums, at + 8 * COUNT);
        b1.intoArray(sums, at + 10 * COUNT);
        b2.intoArray(sums, at + 12 * COUNT);
        b3.intoArray(sums, at + 14 * COUNT);
        c0.intoArray(sums, at + 16 * COUNT);
        c1.intoArray(sums, at + 18 * COUNT);
        c2.intoArray(sums, at + 20 * COUNT);
        c3.intoArray(sums, at + 22 * COUNT);
        d0.intoArray(sums, at + 24 * COUNT);
        d1.intoArray(sums, at + 26 * COUNT);
        d2.intoArray(sums, at + 28 * COUNT);
        d3.intoArray(sums, at + 30 * COUNT);
    }

    private static void tile2x4(long w, long w1, long x0, long x1, long x2, long x3, int from, int to, float[] sums,
            int at) {
        FloatVector a0 = FloatVector.fromArray(Vectors.FLOATS, sums, at);
        FloatVector a1 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 2 * COUNT);
        FloatVector a2 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 4 * COUNT);
        FloatVector a3 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 6 * COUNT);
        FloatVector b0 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 8 * COUNT);
        FloatVector b1 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 10 * COUNT);
        FloatVector b2 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 12 * COUNT);
        FloatVector b3 = FloatVector.fromArray(Vectors.FLOATS, sums, at + 14 * COUNT);
        for (int i = from; i < to; i += 2 * Lanes.BYTES) {
            FloatVector s = Vectors.load(w + i);
            FloatVector t = Vectors.load(w1 + i);
            FloatVector x = Vectors.load(x0 + i);
            a0 = s.fma(x, a0);
            b0 = t.fma(x, b0);
            x = Vectors.load(x1 + i);
            a1 = s.fma(x, a1);
            b1 = t.fma(x, b1);
            x = Vectors.load(x2 + i);
            a2 = s.fma(x, a2);
            b2 = t.fma(x, b2);
            x = Vectors.load(x3 + i);
            a3 = s.fma(x, a3);
            b3 = t.fma(x, b3);
        }
        a0.intoArray(sums, at);
        a1.intoArray(sums, at + 2 * COUNT);
        a2.intoArray(sums, at + 4 * COUNT);
        a3.intoArray(sums, at + 6 * COUNT);
        b0.intoArray(sums, at + 8 * COUNT);
        b1.intoArray(sums, at + 10 * COUNT);
        b2.intoArray(sums, at + 12 * COUNT);
        b3.intoArray(sums, at + 14 * COUNT);
    }

    /** Adds up the accumulators of {@code products} products: the results are then the first elements of {@code sums}. */
    static void reduce(float[] sums, int products) {
        for (int p = 0; p < products; p++) {
            FloatVector a0 = FloatVector.fromArray(Vectors.FLOATS, sums, 2 * COUNT * p);
            a0.add(FloatVector.fromArray(Vectors.FLOATS, sums, 2 * COUNT * p + COUNT)).intoArray(sums, COUNT * p);
        }
        reduceLanes(sums, products);
    }

    /** Adds up the lanes of vectors, in place: the sum of vector i becomes element i. */
    static void reduceLanes(float[] sums, int vectors) {
        if (COUNT == 16) {
            // The tree of Vectors.sum over shorter and shorter vectors: loads of halves are cheaper than exchanging them in a register.
            for (int i = 0; i < vectors; i++) {
                FloatVector low = FloatVector.fromArray(FloatVector.SPECIES_256, sums, 16 * i);
                low.add(FloatVector.fromArray(FloatVector.SPECIES_256, sums, 16 * i + 8)).intoArray(sums, 8 * i);
            }
            for (int i = 0; i < vectors; i++) {
                FloatVector low = FloatVector.fromArray(FloatVector.SPECIES_128, sums, 8 * i);
                low.add(FloatVector.fromArray(FloatVector.SPECIES_128, sums, 8 * i + 4)).intoArray(sums, 4 * i);
            }
            for (int i = 0; i < vectors; i++) {
                sums[i] = (sums[4 * i] + sums[4 * i + 2]) + (sums[4 * i + 1] + sums[4 * i + 3]);
            }
        } else {
            for (int i = 0; i < vectors; i++) {
                sums[i] = Vectors.sum(FloatVector.fromArray(Vectors.FLOATS, sums, COUNT * i));
            }
        }
    }
}

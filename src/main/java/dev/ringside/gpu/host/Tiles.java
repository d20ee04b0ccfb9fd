package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.Lanes.COUNT;
import static dev.ringside.gpu.host.Vectors.FLOATS;

import jdk.incubator.vector.FloatVector;

/** Several products at once, each summed as {@link DotKernels} says: what rows of weights and of activations have in common is loaded once. */
final class Tiles {

    /** Rows of weights of a tile. */
    static final int ROWS = COUNT == 16 ? 4 : 2;
    /** Rows of activations of a tile. */
    static final int COLUMNS = 4;

    private Tiles() {}

    /**
     * Rows of weights against a group of {@link PackedRows}, over every other vector of {@code bytes} of each row of weights. Adds to one of
     * the two accumulators of each product at {@code at} in {@code sums}: first those of the first row of weights with the rows of the group.
     *
     * @param w the first vector of the first row of weights
     * @param stride bytes from a row of weights to the next
     * @param last the last row of weights there is, at most {@link #ROWS} - 1; missing ones are the last computed again
     * @param packed the vectors of the group that belong to those of the weights
     * @param half whether only the first two rows of the group are wanted
     */
    static void tile(long w, long stride, int last, long packed, boolean half, int bytes, float[] sums, int at) {
        long w1 = w + stride * Math.min(1, last);
        if (ROWS == 2) {
            if (half) {
                tile2x2(w, w1, packed, bytes, sums, at);
            } else {
                tile2x4(w, w1, packed, bytes, sums, at);
            }
        } else if (half) {
            tile4x2(w, w1, w + stride * Math.min(2, last), w + stride * last, packed, bytes, sums, at);
        } else {
            tile4x4(w, w1, w + stride * Math.min(2, last), w + stride * last, packed, bytes, sums, at);
        }
    }

    // Every second vector in a pass: the compiler stops inlining vector operations in a method with too many of them, and then boxes each.
    // Twenty-four accumulators are too many as well.

    /** For sixteen lanes, where there are 32 registers. */
    private static void tile4x4(long w, long w1, long w2, long w3, long packed, int bytes, float[] sums, int at) {
        FloatVector a0 = FloatVector.fromArray(FLOATS, sums, at);
        FloatVector a1 = FloatVector.fromArray(FLOATS, sums, at + 2 * COUNT);
        FloatVector a2 = FloatVector.fromArray(FLOATS, sums, at + 4 * COUNT);
        FloatVector a3 = FloatVector.fromArray(FLOATS, sums, at + 6 * COUNT);
        FloatVector b0 = FloatVector.fromArray(FLOATS, sums, at + 8 * COUNT);
        FloatVector b1 = FloatVector.fromArray(FLOATS, sums, at + 10 * COUNT);
        FloatVector b2 = FloatVector.fromArray(FLOATS, sums, at + 12 * COUNT);
        FloatVector b3 = FloatVector.fromArray(FLOATS, sums, at + 14 * COUNT);
        FloatVector c0 = FloatVector.fromArray(FLOATS, sums, at + 16 * COUNT);
        FloatVector c1 = FloatVector.fromArray(FLOATS, sums, at + 18 * COUNT);
        FloatVector c2 = FloatVector.fromArray(FLOATS, sums, at + 20 * COUNT);
        FloatVector c3 = FloatVector.fromArray(FLOATS, sums, at + 22 * COUNT);
        FloatVector d0 = FloatVector.fromArray(FLOATS, sums, at + 24 * COUNT);
        FloatVector d1 = FloatVector.fromArray(FLOATS, sums, at + 26 * COUNT);
        FloatVector d2 = FloatVector.fromArray(FLOATS, sums, at + 28 * COUNT);
        FloatVector d3 = FloatVector.fromArray(FLOATS, sums, at + 30 * COUNT);
        for (int i = 0; i < bytes; i += 2 * Lanes.BYTES) {
            FloatVector s = Vectors.load(HostMemory.known(w + i));
            FloatVector t = Vectors.load(HostMemory.known(w1 + i));
            FloatVector u = Vectors.load(HostMemory.known(w2 + i));
            FloatVector v = Vectors.load(HostMemory.known(w3 + i));
            long x0 = HostMemory.known(packed + 2L * i);
            FloatVector x = Vectors.load(x0);
            a0 = s.fma(x, a0);
            b0 = t.fma(x, b0);
            c0 = u.fma(x, c0);
            d0 = v.fma(x, d0);
            x = Vectors.load(x0 + 1 * Lanes.BYTES);
            a1 = s.fma(x, a1);
            b1 = t.fma(x, b1);
            c1 = u.fma(x, c1);
            d1 = v.fma(x, d1);
            x = Vectors.load(x0 + 2 * Lanes.BYTES);
            a2 = s.fma(x, a2);
            b2 = t.fma(x, b2);
            c2 = u.fma(x, c2);
            d2 = v.fma(x, d2);
            x = Vectors.load(x0 + 3 * Lanes.BYTES);
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

    private static void tile4x2(long w, long w1, long w2, long w3, long packed, int bytes, float[] sums, int at) {
        FloatVector a0 = FloatVector.fromArray(FLOATS, sums, at);
        FloatVector a1 = FloatVector.fromArray(FLOATS, sums, at + 2 * COUNT);
        FloatVector b0 = FloatVector.fromArray(FLOATS, sums, at + 8 * COUNT);
        FloatVector b1 = FloatVector.fromArray(FLOATS, sums, at + 10 * COUNT);
        FloatVector c0 = FloatVector.fromArray(FLOATS, sums, at + 16 * COUNT);
        FloatVector c1 = FloatVector.fromArray(FLOATS, sums, at + 18 * COUNT);
        FloatVector d0 = FloatVector.fromArray(FLOATS, sums, at + 24 * COUNT);
        FloatVector d1 = FloatVector.fromArray(FLOATS, sums, at + 26 * COUNT);
        for (int i = 0; i < bytes; i += 2 * Lanes.BYTES) {
            FloatVector s = Vectors.load(HostMemory.known(w + i));
            FloatVector t = Vectors.load(HostMemory.known(w1 + i));
            FloatVector u = Vectors.load(HostMemory.known(w2 + i));
            FloatVector v = Vectors.load(HostMemory.known(w3 + i));
            long x0 = HostMemory.known(packed + 2L * i);
            FloatVector x = Vectors.load(x0);
            a0 = s.fma(x, a0);
            b0 = t.fma(x, b0);
            c0 = u.fma(x, c0);
            d0 = v.fma(x, d0);
            x = Vectors.load(x0 + 1 * Lanes.BYTES);
            a1 = s.fma(x, a1);
            b1 = t.fma(x, b1);
            c1 = u.fma(x, c1);
            d1 = v.fma(x, d1);
        }
        a0.intoArray(sums, at);
        a1.intoArray(sums, at + 2 * COUNT);
        b0.intoArray(sums, at + 8 * COUNT);
        b1.intoArray(sums, at + 10 * COUNT);
        c0.intoArray(sums, at + 16 * COUNT);
        c1.intoArray(sums, at + 18 * COUNT);
        d0.intoArray(sums, at + 24 * COUNT);
        d1.intoArray(sums, at + 26 * COUNT);
    }

    private static void tile2x4(long w, long w1, long packed, int bytes, float[] sums, int at) {
        FloatVector a0 = FloatVector.fromArray(FLOATS, sums, at);
        FloatVector a1 = FloatVector.fromArray(FLOATS, sums, at + 2 * COUNT);
        FloatVector a2 = FloatVector.fromArray(FLOATS, sums, at + 4 * COUNT);
        FloatVector a3 = FloatVector.fromArray(FLOATS, sums, at + 6 * COUNT);
        FloatVector b0 = FloatVector.fromArray(FLOATS, sums, at + 8 * COUNT);
        FloatVector b1 = FloatVector.fromArray(FLOATS, sums, at + 10 * COUNT);
        FloatVector b2 = FloatVector.fromArray(FLOATS, sums, at + 12 * COUNT);
        FloatVector b3 = FloatVector.fromArray(FLOATS, sums, at + 14 * COUNT);
        for (int i = 0; i < bytes; i += 2 * Lanes.BYTES) {
            FloatVector s = Vectors.load(HostMemory.known(w + i));
            FloatVector t = Vectors.load(HostMemory.known(w1 + i));
            long x0 = HostMemory.known(packed + 2L * i);
            FloatVector x = Vectors.load(x0);
            a0 = s.fma(x, a0);
            b0 = t.fma(x, b0);
            x = Vectors.load(x0 + 1 * Lanes.BYTES);
            a1 = s.fma(x, a1);
            b1 = t.fma(x, b1);
            x = Vectors.load(x0 + 2 * Lanes.BYTES);
            a2 = s.fma(x, a2);
            b2 = t.fma(x, b2);
            x = Vectors.load(x0 + 3 * Lanes.BYTES);
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

    private static void tile2x2(long w, long w1, long packed, int bytes, float[] sums, int at) {
        FloatVector a0 = FloatVector.fromArray(FLOATS, sums, at);
        FloatVector a1 = FloatVector.fromArray(FLOATS, sums, at + 2 * COUNT);
        FloatVector b0 = FloatVector.fromArray(FLOATS, sums, at + 8 * COUNT);
        FloatVector b1 = FloatVector.fromArray(FLOATS, sums, at + 10 * COUNT);
        for (int i = 0; i < bytes; i += 2 * Lanes.BYTES) {
            FloatVector s = Vectors.load(HostMemory.known(w + i));
            FloatVector t = Vectors.load(HostMemory.known(w1 + i));
            long x0 = HostMemory.known(packed + 2L * i);
            FloatVector x = Vectors.load(x0);
            a0 = s.fma(x, a0);
            b0 = t.fma(x, b0);
            x = Vectors.load(x0 + 1 * Lanes.BYTES);
            a1 = s.fma(x, a1);
            b1 = t.fma(x, b1);
        }
        a0.intoArray(sums, at);
        a1.intoArray(sums, at + 2 * COUNT);
        b0.intoArray(sums, at + 8 * COUNT);
        b1.intoArray(sums, at + 10 * COUNT);
    }
}

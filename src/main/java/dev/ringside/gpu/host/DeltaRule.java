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
 * One step of the gated delta rule on some columns of a head's state: {@code S' = decay S + k u^T} with
 * {@code u = rate (v - decay S^T k)}, {@code o = S'^T q}. Reads {@code source}, writes {@code target}; they may be the same.
 */
final class DeltaRule {

    private static final long O1 = 4L * LANES;
    private static final long O2 = 2 * O1;
    private static final long O3 = 3 * O1;

    private DeltaRule() {}

    /**
     * Four vectors of columns. In two methods, since one with both loops is more than the first compiler can take, and then stays
     * interpreted for good.
     *
     * @param stride bytes from one state row to the next
     * @param out holds u in between
     */
    static void four(long source, long target, long stride, int keySize, long key, long query, long value, float decay, float rate,
            long out) {
        readFour(source, stride, keySize, key, value, decay, rate, out);
        updateFour(source, target, stride, keySize, key, query, decay, out);
    }

    private static void readFour(long source, long stride, int keySize, long key, long value, float decay, float rate, long out) {
        FloatVector u0 = FloatVector.zero(FLOATS);
        FloatVector u1 = FloatVector.zero(FLOATS);
        FloatVector u2 = FloatVector.zero(FLOATS);
        FloatVector u3 = FloatVector.zero(FLOATS);
        for (int i = 0; i < keySize; i++) {
            FloatVector k = FloatVector.broadcast(FLOATS, ALL.get(FLOAT, key + 4L * i));
            long at = source + i * stride;
            u0 = fromMemorySegment(FLOATS, ALL, at, LITTLE_ENDIAN).fma(k, u0);
            u1 = fromMemorySegment(FLOATS, ALL, at + O1, LITTLE_ENDIAN).fma(k, u1);
            u2 = fromMemorySegment(FLOATS, ALL, at + O2, LITTLE_ENDIAN).fma(k, u2);
            u3 = fromMemorySegment(FLOATS, ALL, at + O3, LITTLE_ENDIAN).fma(k, u3);
        }
        FloatVector d = FloatVector.broadcast(FLOATS, decay);
        FloatVector r = FloatVector.broadcast(FLOATS, rate);
        fromMemorySegment(FLOATS, ALL, value, LITTLE_ENDIAN).sub(u0.mul(d)).mul(r).intoMemorySegment(ALL, out, LITTLE_ENDIAN);
        fromMemorySegment(FLOATS, ALL, value + O1, LITTLE_ENDIAN).sub(u1.mul(d)).mul(r).intoMemorySegment(ALL, out + O1, LITTLE_ENDIAN);
        fromMemorySegment(FLOATS, ALL, value + O2, LITTLE_ENDIAN).sub(u2.mul(d)).mul(r).intoMemorySegment(ALL, out + O2, LITTLE_ENDIAN);
        fromMemorySegment(FLOATS, ALL, value + O3, LITTLE_ENDIAN).sub(u3.mul(d)).mul(r).intoMemorySegment(ALL, out + O3, LITTLE_ENDIAN);
    }

    private static void updateFour(long source, long target, long stride, int keySize, long key, long query, float decay, long out) {
        FloatVector u0 = fromMemorySegment(FLOATS, ALL, out, LITTLE_ENDIAN);
        FloatVector u1 = fromMemorySegment(FLOATS, ALL, out + O1, LITTLE_ENDIAN);
        FloatVector u2 = fromMemorySegment(FLOATS, ALL, out + O2, LITTLE_ENDIAN);
        FloatVector u3 = fromMemorySegment(FLOATS, ALL, out + O3, LITTLE_ENDIAN);
        FloatVector d = FloatVector.broadcast(FLOATS, decay);
        FloatVector r0 = FloatVector.zero(FLOATS);
        FloatVector r1 = FloatVector.zero(FLOATS);
        FloatVector r2 = FloatVector.zero(FLOATS);
        FloatVector r3 = FloatVector.zero(FLOATS);
        for (int i = 0; i < keySize; i++) {
            FloatVector k = FloatVector.broadcast(FLOATS, ALL.get(FLOAT, key + 4L * i));
            FloatVector q = FloatVector.broadcast(FLOATS, ALL.get(FLOAT, query + 4L * i));
            long from = source + i * stride;
            long to = target + i * stride;
            FloatVector s = fromMemorySegment(FLOATS, ALL, from, LITTLE_ENDIAN).fma(d, u0.mul(k));
            s.intoMemorySegment(ALL, to, LITTLE_ENDIAN);
            r0 = s.fma(q, r0);
            s = fromMemorySegment(FLOATS, ALL, from + O1, LITTLE_ENDIAN).fma(d, u1.mul(k));
            s.intoMemorySegment(ALL, to + O1, LITTLE_ENDIAN);
            r1 = s.fma(q, r1);
            s = fromMemorySegment(FLOATS, ALL, from + O2, LITTLE_ENDIAN).fma(d, u2.mul(k));
            s.intoMemorySegment(ALL, to + O2, LITTLE_ENDIAN);
            r2 = s.fma(q, r2);
            s = fromMemorySegment(FLOATS, ALL, from + O3, LITTLE_ENDIAN).fma(d, u3.mul(k));
            s.intoMemorySegment(ALL, to + O3, LITTLE_ENDIAN);
            r3 = s.fma(q, r3);
        }
        r0.intoMemorySegment(ALL, out, LITTLE_ENDIAN);
        r1.intoMemorySegment(ALL, out + O1, LITTLE_ENDIAN);
        r2.intoMemorySegment(ALL, out + O2, LITTLE_ENDIAN);
        r3.intoMemorySegment(ALL, out + O3, LITTLE_ENDIAN);
    }

    /** Up to one vector of columns, with the same bits as {@link #four}. */
    static void one(long source, long target, long stride, int keySize, long key, long query, long value, float decay, float rate, long out,
            int columns) {
        VectorMask<Float> mask = FLOATS.indexInRange(0, columns);
        FloatVector u = FloatVector.zero(FLOATS);
        for (int i = 0; i < keySize; i++) {
            FloatVector k = FloatVector.broadcast(FLOATS, ALL.get(FLOAT, key + 4L * i));
            u = fromMemorySegment(FLOATS, ALL, source + i * stride, LITTLE_ENDIAN, mask).fma(k, u);
        }
        FloatVector d = FloatVector.broadcast(FLOATS, decay);
        u = fromMemorySegment(FLOATS, ALL, value, LITTLE_ENDIAN, mask).sub(u.mul(d)).mul(rate);
        FloatVector result = FloatVector.zero(FLOATS);
        for (int i = 0; i < keySize; i++) {
            FloatVector k = FloatVector.broadcast(FLOATS, ALL.get(FLOAT, key + 4L * i));
            FloatVector q = FloatVector.broadcast(FLOATS, ALL.get(FLOAT, query + 4L * i));
            FloatVector s = fromMemorySegment(FLOATS, ALL, source + i * stride, LITTLE_ENDIAN, mask).fma(d, u.mul(k));
            s.intoMemorySegment(ALL, target + i * stride, LITTLE_ENDIAN, mask);
            result = s.fma(q, result);
        }
        result.intoMemorySegment(ALL, out, LITTLE_ENDIAN, mask);
    }
}

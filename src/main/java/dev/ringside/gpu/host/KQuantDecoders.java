package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.Lanes.COUNT;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Decoders of rows of Q4_K, Q5_K and Q6_K into floats, in vectors. Scales of Q4_K and Q5_K are decoded first for a whole row, into a table
 * from which they are broadcast: one by one they cost as much as the weights.
 *
 * <p>Methods here have few vector operations on purpose: past some thirty the compiler has used up the 18,000 nodes it inlines in one
 * method, and what is left over boxes every vector.
 */
final class KQuantDecoders {

    /** Floats of the scale table of a row of {@code columns}. */
    static int tableFloats(int columns) {
        return columns / 16 + COUNT;
    }

    private static final int SCALES = 0x3F3F3F3F;
    private static final int LOW = 0x0F0F0F0F;
    private static final int HIGH = 0x30303030;

    private static final IntVector LOW_NIBBLE = IntVector.broadcast(Lanes.INTS, 15);
    private static final IntVector BITS_4_AND_5 = IntVector.broadcast(Lanes.INTS, 48);

    private KQuantDecoders() {}

    /**
     * Writes 16 floats for each block: eight {@code d * S}, then eight {@code -dmin * M}.
     *
     * @param packed scratch of 16 bytes for each block
     */
    static void scales(long source, int blockBytes, int blocks, long packed, long table) {
        long block = source;
        for (int b = 0; b < blocks; b++, block += blockBytes) {
            int s = HostMemory.getInt(block + 4);
            int m = HostMemory.getInt(block + 8);
            int rest = HostMemory.getInt(block + 12);
            long at = packed + 16L * b;
            HostMemory.setInt(at, s & SCALES);
            HostMemory.setInt(at + 4, (rest & LOW) | ((s >>> 2) & HIGH));
            HostMemory.setInt(at + 8, m & SCALES);
            HostMemory.setInt(at + 12, ((rest >>> 4) & LOW) | ((m >>> 2) & HIGH));
        }
        block = source;
        for (int b = 0; b < blocks; b++, block += blockBytes) {
            int halves = HostMemory.getInt(block);
            float d = Float.float16ToFloat((short) halves);
            float min = -Float.float16ToFloat((short) (halves >>> 16));
            if (COUNT == 16) {
                FloatVector both = Vectors.broadcast(d).blend(min, Lanes.UPPER_HALF);
                Vectors.store(Lanes.toFloats(Lanes.unsignedBytes(packed + 16L * b)).mul(both), table + 64L * b);
            } else {
                for (int e = 0; e < 16; e += COUNT) {
                    Vectors.store(Lanes.toFloats(Lanes.unsignedBytes(packed + 16L * b + e)).mul(e < 8 ? d : min), table + 64L * b + 4L * e);
                }
            }
        }
    }

    static void q4k(long source, long target, int columns, long packed, long table) {
        int blocks = columns / 256;
        scales(source, 144, blocks, packed, table);
        for (int pair = 0; pair < 4 * blocks; pair++) {
            long nibbles = source + 144L * (pair >>> 2) + 16 + 32L * (pair & 3);
            long at = table + 64L * (pair >>> 2) + 8L * (pair & 3);
            long out = target + 256L * pair;
            FloatVector d0 = Vectors.broadcast(HostMemory.getFloat(at));
            FloatVector d1 = Vectors.broadcast(HostMemory.getFloat(at + 4));
            FloatVector m0 = Vectors.broadcast(HostMemory.getFloat(at + 32));
            FloatVector m1 = Vectors.broadcast(HostMemory.getFloat(at + 36));
            for (int e = 0; e < 32; e += COUNT) {
                IntVector bytes = Lanes.unsignedBytes(nibbles + e);
                Vectors.store(Lanes.toFloats(bytes.and(15)).fma(d0, m0), out + 4L * e);
                Vectors.store(Lanes.toFloats(bytes.lanewise(VectorOperators.LSHR, 4)).fma(d1, m1), out + 128 + 4L * e);
            }
        }
    }

    static void q5k(long source, long target, int columns, long packed, long table) {
        int blocks = columns / 256;
        scales(source, 176, blocks, packed, table);
        for (int pair = 0; pair < 4 * blocks; pair++) {
            long block = source + 176L * (pair >>> 2);
            int p = pair & 3;
            long nibbles = block + 48 + 32L * p;
            long at = table + 64L * (pair >>> 2) + 8L * p;
            long out = target + 256L * pair;
            FloatVector d0 = Vectors.broadcast(HostMemory.getFloat(at));
            FloatVector d1 = Vectors.broadcast(HostMemory.getFloat(at + 4));
            FloatVector m0 = Vectors.broadcast(HostMemory.getFloat(at + 32));
            FloatVector m1 = Vectors.broadcast(HostMemory.getFloat(at + 36));
            for (int e = 0; e < 32; e += COUNT) {
                IntVector bytes = Lanes.unsignedBytes(nibbles + e);
                IntVector high = Lanes.unsignedBytes(block + 16 + e).lanewise(VectorOperators.LSHR, 2 * p);
                IntVector q0 = bytes.and(15).or(high.and(1).lanewise(VectorOperators.LSHL, 4));
                IntVector q1 = bytes.lanewise(VectorOperators.LSHR, 4).or(high.and(2).lanewise(VectorOperators.LSHL, 3));
                Vectors.store(Lanes.toFloats(q0).fma(d0, m0), out + 4L * e);
                Vectors.store(Lanes.toFloats(q1).fma(d1, m1), out + 128 + 4L * e);
            }
        }
    }

    // A unit of Q6_K is 32 bytes of low bits: their low nibbles are 32 elements, their high ones the 32 that lie 64 further.

    static void q6k(long source, long target, int columns) {
        int units = columns / 64;
        for (int unit = 0; unit < units; unit++) {
            int upper = unit >>> 1 & 1;
            int g = unit & 1;
            long block = source + 210L * (unit >>> 2);
            long low = block + 64L * upper + 32L * g;
            long high = block + 128 + 32L * upper;
            long scales = block + 192 + 8L * upper + 2L * g;
            long out = target + 1024L * (unit >>> 2) + 512L * upper + 128L * g;
            float d = RowDecoders.half(block + 208);
            for (int e = 0; e < 32; e += COUNT) {
                float scale = d * HostMemory.getByte(scales + (e >>> 4));
                IntVector h = Lanes.unsignedBytes(high + e).lanewise(VectorOperators.LSHL, 4 - 2 * g).and(BITS_4_AND_5);
                IntVector q = Lanes.unsignedBytes(low + e).and(LOW_NIBBLE).or(h);
                Vectors.store(Lanes.toFloats(q).fma(Vectors.broadcast(scale), Vectors.broadcast(-32 * scale)), out + 4L * e);
            }
            for (int e = 0; e < 32; e += COUNT) {
                float scale = d * HostMemory.getByte(scales + 4 + (e >>> 4));
                IntVector h = Lanes.unsignedBytes(high + e).lanewise(VectorOperators.LSHR, 2 * g).and(BITS_4_AND_5);
                IntVector q = Lanes.unsignedBytes(low + e).lanewise(VectorOperators.LSHR, 4).or(h);
                Vectors.store(Lanes.toFloats(q).fma(Vectors.broadcast(scale), Vectors.broadcast(-32 * scale)), out + 256 + 4L * e);
            }
        }
    }
}

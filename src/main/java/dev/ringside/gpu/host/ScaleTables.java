package dev.ringside.gpu.host;

import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Scales of a whole row as floats for vectors of sixteen lanes, decoded before its values: one by one, where they are needed, they cost as much as the values. Tables lie
 * on the heap because bounds of arrays cost the compiler far less than those of memory segments (see {@link StoredDots}).
 */
final class ScaleTables {

    private static final VectorSpecies<Long> PACKED = LongVector.SPECIES_128;
    /** Lanes 4 to 7 of each eight. */
    private static final VectorMask<Float> MINIMA = VectorMask.fromLong(Vectors.FLOATS, 0xF0F0L & (1L << Lanes.COUNT) - 1);
    private static final VectorShuffle<Float> BY_PAIR = VectorShuffle.fromOp(Vectors.FLOATS, ScaleTables::byPair);

    private static final IntVector BY_TWO = IntVector.zero(Lanes.INTS).addIndex(2);
    private static final IntVector BY_FOUR = IntVector.zero(Lanes.INTS).addIndex(4);

    private ScaleTables() {}

    /** Floats of the table of a row of {@code columns}. */
    static int floats(int columns) {
        return columns / 8 + 16;
    }

    /** From scales 0 to 3 and minima 0 to 3 to the scales and minima of groups 0 and 1, then those of 2 and 3. */
    private static int byPair(int lane) {
        return lane & ~6 | (lane & 2) << 1 | (lane & 4) >> 1;
    }

    /** Scales of Q4_K or Q5_K: {@code d * S}, {@code d * S'}, {@code -dmin * M}, {@code -dmin * M'} for each pair of groups of 32. */
    static void pairs(long source, int blockBytes, int blocks, float[] table) {
        for (int b = 0; b < blocks; b++) {
            long block = HostMemory.known(source + (long) blockBytes * b);
            // Scales in the lower half and minima in the upper: of groups 0 to 3, then of 4 to 7.
            long first = HostMemory.getLong(block + 4);
            long rest = HostMemory.getInt(block + 12) & 0xFFFFFFFFL;
            long second = (rest | rest << 28) & 0x0F0F0F0F_0F0F0F0FL | first >>> 2 & 0x30303030_30303030L;
            int halves = HostMemory.getInt(block);
            float d = Float.float16ToFloat((short) halves);
            float min = -Float.float16ToFloat((short) (halves >>> 16));
            IntVector scales = (IntVector) LongVector.broadcast(PACKED, first & 0x3F3F3F3F_3F3F3F3FL).withLane(1, second)
                    .reinterpretAsBytes()
                    .convertShape(VectorOperators.ZERO_EXTEND_B2I, Lanes.INTS, 0);
            Lanes.toFloats(scales).mul(Vectors.broadcast(d).blend(min, MINIMA)).rearrange(BY_PAIR).intoArray(table, 16 * b);
        }
    }

    /** Scales of Q6_K, one for each 16 elements. */
    static void q6k(long source, int blocks, float[] table) {
        for (int b = 0; b < blocks; b++) {
            long block = HostMemory.known(source + 210L * b);
            float d = RowDecoders.half(block + 208);
            Lanes.toFloats(Lanes.signedBytes(block + 192)).mul(d).intoArray(table, 16 * b);
        }
    }

    /** Scales of Q2_K: for each block sixteen {@code d * S}, then sixteen {@code -dmin * M}. */
    static void q2k(long source, int blocks, float[] table) {
        for (int b = 0; b < blocks; b++) {
            long block = HostMemory.known(source + 84L * b);
            IntVector both = Lanes.unsignedBytes(block);
            Lanes.toFloats(both.and(15)).mul(RowDecoders.half(block + 80)).intoArray(table, 32 * b);
            Lanes.toFloats(both.lanewise(VectorOperators.LSHR, 4)).mul(-RowDecoders.half(block + 82)).intoArray(table, 32 * b + 16);
        }
    }

    /** Six-bit scales of Q3_K, one for each 16 elements: low nibbles in eight bytes, upper two bits in four. */
    static void q3k(long source, int blocks, float[] table) {
        for (int b = 0; b < blocks; b++) {
            long block = HostMemory.known(source + 110L * b);
            long low = HostMemory.getLong(block + 96);
            long high = HostMemory.getInt(block + 104) & 0xFFFFFFFFL;
            high |= high << 30;
            long first = low & 0x0F0F0F0F_0F0F0F0FL | (high & 0x03030303_03030303L) << 4;
            long second = low >>> 4 & 0x0F0F0F0F_0F0F0F0FL | high & 0x30303030_30303030L;
            IntVector scales = (IntVector) LongVector.broadcast(PACKED, first).withLane(1, second).reinterpretAsBytes()
                    .convertShape(VectorOperators.ZERO_EXTEND_B2I, Lanes.INTS, 0);
            Lanes.toFloats(scales.sub(32)).mul(RowDecoders.half(block + 108)).intoArray(table, 16 * b);
        }
    }

    /** Halves at the head of blocks of {@code blockBytes}. */
    static void halves(long source, int blockBytes, int blocks, float[] table) {
        for (int b = 0; b < blocks; b++) {
            table[b] = RowDecoders.half(source + (long) blockBytes * b);
        }
    }

    /** Scale and offset of Q5_0 ({@code -16 d}) or Q5_1 (stored). */
    static void scaleAndOffset(long source, boolean stored, int blockBytes, int blocks, float[] table) {
        for (int b = 0; b < blocks; b++) {
            long block = HostMemory.known(source + (long) blockBytes * b);
            float d = RowDecoders.half(block);
            table[2 * b] = d;
            table[2 * b + 1] = stored ? RowDecoders.half(block + 2) : -16 * d;
        }
    }

    /** Six-bit scales of IQ4_XS, one for each 32 elements. */
    static void iq4xs(long source, int blocks, float[] table) {
        for (int b = 0; b < blocks; b++) {
            long block = HostMemory.known(source + 136L * b);
            int high = HostMemory.getInt(block) >>> 16;
            int low = HostMemory.getInt(block + 4);
            float d = RowDecoders.half(block);
            // The last eight lanes are nothing; the next block, or the slack of the table, takes their place.
            IntVector bits = IntVector.broadcast(Lanes.INTS, high).lanewise(VectorOperators.LSHR, BY_TWO).and(3);
            IntVector scales = IntVector.broadcast(Lanes.INTS, low).lanewise(VectorOperators.LSHR, BY_FOUR).and(15)
                    .or(bits.lanewise(VectorOperators.LSHL, 4));
            Lanes.toFloats(scales.sub(32)).mul(d).intoArray(table, 8 * b);
        }
    }

    /** Powers of two of MXFP4, halved as its levels are doubled. */
    static void mxfp4(long source, int blocks, float[] table) {
        for (int b = 0; b < blocks; b++) {
            int exponent = HostMemory.getByte(source + 17L * b) & 255;
            // The two smallest are subnormal.
            table[b] = Float.intBitsToFloat(exponent < 2 ? 0x200000 << exponent : exponent - 1 << 23);
        }
    }
}

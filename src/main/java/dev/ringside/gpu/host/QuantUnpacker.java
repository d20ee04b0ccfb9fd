package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.HostMemory.ALL;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Puts the parts of integers of two to six bits together, a byte for each element, in the order of the row. On bytes, 32 or 64 at a time: on
 * the floats' lanes the same costs four times as much.
 */
final class QuantUnpacker {

    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_256;
    private static final int NIBBLES = 0x0F0F0F0F;
    private static final int BITS_4_5 = 0x30303030;
    private static final int BITS_0_1 = 0x03030303;
    private static final int BIT_0 = 0x01010101;
    private static final int BIT_4 = 0x10101010;

    private static final VectorSpecies<Integer> WIDE = IntVector.SPECIES_512;
    /** The lower or upper half of a vector, twice. */
    private static final VectorShuffle<Integer> LOWER_TWICE = VectorShuffle.fromValues(WIDE, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6,
            7);
    private static final VectorShuffle<Integer> UPPER_TWICE = VectorShuffle.fromValues(WIDE, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12,
            13, 14, 15);
    /** Shifts of either half that bring the two bits of an element behind its nibble. */
    private static final IntVector FOUR_THEN_TWO = IntVector.zero(WIDE).addIndex(1).lanewise(LSHR, 3).mul(-2).add(4);
    private static final IntVector ZERO_THEN_TWO = IntVector.zero(WIDE).addIndex(1).lanewise(LSHR, 3).mul(2);

    private QuantUnpacker() {}

    /** Q5_K, 0 to 31. Bits of group g are bit g of 32 bytes, its nibbles the low (g even) or high ones of 32 other bytes. */
    static void q5k(long source, int columns, byte[] quants) {
        int halves = columns / 128;
        for (int half = 0; half < halves; half++) {
            long bits = HostMemory.known(source + 16 + 176 * (half >>> 1));
            int group = 4 * (half & 1);
            int out = 128 * half;
            IntVector low = IntVector.fromMemorySegment(INTS, ALL, bits + 32 + 16 * group, LITTLE_ENDIAN);
            IntVector next = IntVector.fromMemorySegment(INTS, ALL, bits + 64 + 16 * group, LITTLE_ENDIAN);
            IntVector high = IntVector.fromMemorySegment(INTS, ALL, bits, LITTLE_ENDIAN).lanewise(LSHR, group);
            IntVector upper = high.lanewise(LSHL, 4).and(BIT_4);
            IntVector q = low.and(NIBBLES);
            q = q.or(upper);
            q.reinterpretAsBytes().intoArray(quants, out);
            upper = high.lanewise(LSHL, 3).and(BIT_4);
            q = low.lanewise(LSHR, 4).and(NIBBLES);
            q = q.or(upper);
            q.reinterpretAsBytes().intoArray(quants, out + 32);
            upper = high.lanewise(LSHL, 2).and(BIT_4);
            q = next.and(NIBBLES);
            q = q.or(upper);
            q.reinterpretAsBytes().intoArray(quants, out + 64);
            upper = high.lanewise(LSHL, 1).and(BIT_4);
            q = next.lanewise(LSHR, 4).and(NIBBLES);
            q = q.or(upper);
            q.reinterpretAsBytes().intoArray(quants, out + 96);
        }
    }

    /**
     * Q6_K, -32 to 31, a block at a time. Of eight groups of 32, groups 0, 1, 4 and 5 are the low nibbles of 32 bytes each and the others the
     * high ones; groups 0 to 3 share 32 bytes of two bits each, from the lowest on, groups 4 to 7 the next 32. With vectors of 64 bytes for two
     * groups the products of Q6_K with one row take a sixth less time than with 32.
     */
    static void q6k(long source, int columns, byte[] quants) {
        int blocks = columns / 256;
        for (int b = 0; b < blocks; b++) {
            long block = HostMemory.known(source + 210 * b);
            int out = 256 * b;
            IntVector first = IntVector.fromMemorySegment(WIDE, ALL, block, LITTLE_ENDIAN);
            IntVector second = IntVector.fromMemorySegment(WIDE, ALL, block + 64, LITTLE_ENDIAN);
            IntVector bits = IntVector.fromMemorySegment(WIDE, ALL, block + 128, LITTLE_ENDIAN);
            IntVector high = bits.rearrange(LOWER_TWICE);
            IntVector upper = high.lanewise(LSHL, FOUR_THEN_TWO).and(BITS_4_5);
            IntVector q = first.and(NIBBLES);
            q = q.or(upper);
            ByteVector bytes = q.reinterpretAsBytes().sub((byte) 32);
            bytes.intoArray(quants, out);
            upper = high.lanewise(LSHR, ZERO_THEN_TWO).and(BITS_4_5);
            q = first.lanewise(LSHR, 4).and(NIBBLES);
            q = q.or(upper);
            bytes = q.reinterpretAsBytes().sub((byte) 32);
            bytes.intoArray(quants, out + 64);
            high = bits.rearrange(UPPER_TWICE);
            upper = high.lanewise(LSHL, FOUR_THEN_TWO).and(BITS_4_5);
            q = second.and(NIBBLES);
            q = q.or(upper);
            bytes = q.reinterpretAsBytes().sub((byte) 32);
            bytes.intoArray(quants, out + 128);
            upper = high.lanewise(LSHR, ZERO_THEN_TWO).and(BITS_4_5);
            q = second.lanewise(LSHR, 4).and(NIBBLES);
            q = q.or(upper);
            bytes = q.reinterpretAsBytes().sub((byte) 32);
            bytes.intoArray(quants, out + 192);
        }
    }

    /** Q2_K, 0 to 3: 32 bytes hold four groups, the first in their lowest bits. */
    static void q2k(long source, int columns, byte[] quants) {
        int blocks = columns / 256;
        for (int block = 0; block < blocks; block++) {
            long bits = HostMemory.known(source + 16 + 84 * block);
            int out = 256 * block;
            IntVector first = IntVector.fromMemorySegment(INTS, ALL, bits, LITTLE_ENDIAN);
            IntVector second = IntVector.fromMemorySegment(INTS, ALL, bits + 32, LITTLE_ENDIAN);
            IntVector q = first.and(BITS_0_1);
            ByteVector bytes = q.reinterpretAsBytes();
            bytes.intoArray(quants, out);
            q = first.lanewise(LSHR, 2).and(BITS_0_1);
            bytes = q.reinterpretAsBytes();
            bytes.intoArray(quants, out + 32);
            q = first.lanewise(LSHR, 4).and(BITS_0_1);
            bytes = q.reinterpretAsBytes();
            bytes.intoArray(quants, out + 64);
            q = first.lanewise(LSHR, 6).and(BITS_0_1);
            bytes = q.reinterpretAsBytes();
            bytes.intoArray(quants, out + 96);
            q = second.and(BITS_0_1);
            bytes = q.reinterpretAsBytes();
            bytes.intoArray(quants, out + 128);
            q = second.lanewise(LSHR, 2).and(BITS_0_1);
            bytes = q.reinterpretAsBytes();
            bytes.intoArray(quants, out + 160);
            q = second.lanewise(LSHR, 4).and(BITS_0_1);
            bytes = q.reinterpretAsBytes();
            bytes.intoArray(quants, out + 192);
            q = second.lanewise(LSHR, 6).and(BITS_0_1);
            bytes = q.reinterpretAsBytes();
            bytes.intoArray(quants, out + 224);
        }
    }

    /** Q3_K, -4 to 3: as Q2_K, with the third bit of group g at bit g of 32 other bytes. */
    static void q3k(long source, int columns, byte[] quants) {
        int halves = columns / 128;
        for (int half = 0; half < halves; half++) {
            long block = HostMemory.known(source + 110 * (half >>> 1));
            int out = 128 * half;
            IntVector low = IntVector.fromMemorySegment(INTS, ALL, block + 32 + 32 * (half & 1), LITTLE_ENDIAN);
            IntVector high = IntVector.fromMemorySegment(INTS, ALL, block, LITTLE_ENDIAN).lanewise(LSHR, 4 * (half & 1));
            IntVector q = low.and(BITS_0_1);
            IntVector third = high.and(BIT_0).lanewise(LSHL, 2);
            q = q.or(third);
            q.reinterpretAsBytes().sub((byte) 4).intoArray(quants, out);
            q = low.lanewise(LSHR, 2).and(BITS_0_1);
            third = high.lanewise(LSHR, 1).and(BIT_0).lanewise(LSHL, 2);
            q = q.or(third);
            q.reinterpretAsBytes().sub((byte) 4).intoArray(quants, out + 32);
            q = low.lanewise(LSHR, 4).and(BITS_0_1);
            third = high.lanewise(LSHR, 2).and(BIT_0).lanewise(LSHL, 2);
            q = q.or(third);
            q.reinterpretAsBytes().sub((byte) 4).intoArray(quants, out + 64);
            q = low.lanewise(LSHR, 6).and(BITS_0_1);
            third = high.lanewise(LSHR, 3).and(BIT_0).lanewise(LSHL, 2);
            q = q.or(third);
            q.reinterpretAsBytes().sub((byte) 4).intoArray(quants, out + 96);
        }
    }
}

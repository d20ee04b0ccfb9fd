package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.HostMemory.ALL;
import static dev.ringside.gpu.host.Lanes.INTS;
import static dev.ringside.gpu.host.Vectors.FLOATS;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.VectorOperators.B2I;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_B2I;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

/** Dot products of stored rows in groups of 32 elements for vectors of sixteen lanes. Rules and reasons: {@link StoredDots}. */
final class BlockDots {

    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_128;
    private static final IntVector LANE = Lanes.INDEX;

    private BlockDots() {}

    static void q8x0(long source, float[] x, int columns, float[] table, float[] sums, int to) {
        FloatVector a0 = FloatVector.zero(FLOATS);
        FloatVector a1 = FloatVector.zero(FLOATS);
        int even = columns / 32 & ~1;
        for (int group = 0; group < even; group += 2) {
            int in = 32 * group;
            long bytes = HostMemory.known(source + 2 + 34 * group);
            FloatVector d = FloatVector.broadcast(FLOATS, table[group]);
            a0 = ((FloatVector) ByteVector.fromMemorySegment(BYTES, ALL, bytes, LITTLE_ENDIAN).convertShape(B2I, INTS, 0).convertShape(I2F,
                    FLOATS, 0)).mul(d).fma(FloatVector.fromArray(FLOATS, x, in), a0);
            a1 = ((FloatVector) ByteVector.fromMemorySegment(BYTES, ALL, bytes + 16, LITTLE_ENDIAN).convertShape(B2I, INTS, 0)
                    .convertShape(I2F, FLOATS, 0)).mul(d).fma(FloatVector.fromArray(FLOATS, x, in + 16), a1);
            d = FloatVector.broadcast(FLOATS, table[group + 1]);
            a0 = ((FloatVector) ByteVector.fromMemorySegment(BYTES, ALL, bytes + 34, LITTLE_ENDIAN).convertShape(B2I, INTS, 0)
                    .convertShape(I2F, FLOATS, 0)).mul(d).fma(FloatVector.fromArray(FLOATS, x, in + 32), a0);
            a1 = ((FloatVector) ByteVector.fromMemorySegment(BYTES, ALL, bytes + 50, LITTLE_ENDIAN).convertShape(B2I, INTS, 0)
                    .convertShape(I2F, FLOATS, 0)).mul(d).fma(FloatVector.fromArray(FLOATS, x, in + 48), a1);
        }
        if (even < columns / 32) {
            int in = 32 * even;
            long bytes = HostMemory.known(source + 2 + 34 * even);
            FloatVector d = FloatVector.broadcast(FLOATS, table[even]);
            a0 = ((FloatVector) ByteVector.fromMemorySegment(BYTES, ALL, bytes, LITTLE_ENDIAN).convertShape(B2I, INTS, 0).convertShape(I2F,
                    FLOATS, 0)).mul(d).fma(FloatVector.fromArray(FLOATS, x, in), a0);
            a1 = ((FloatVector) ByteVector.fromMemorySegment(BYTES, ALL, bytes + 16, LITTLE_ENDIAN).convertShape(B2I, INTS, 0)
                    .convertShape(I2F, FLOATS, 0)).mul(d).fma(FloatVector.fromArray(FLOATS, x, in + 16), a1);
        }
        a0.add(a1).intoArray(sums, to);
    }

    /**
     * Nibbles that name one of sixteen levels, the low ones of 16 bytes first.
     *
     * @param source nibbles of the first group
     * @param stride bytes from group to group
     * @param gap bytes more after each eight groups
     * @param levels of {@link NibbleLevels}
     * @param table a scale for each group
     */
    static void levels(long source, int stride, int gap, float[] levels, float[] x, int columns, float[] table, float[] sums, int to) {
        FloatVector all = FloatVector.fromArray(FLOATS, levels, 0);
        FloatVector a0 = FloatVector.zero(FLOATS);
        FloatVector a1 = FloatVector.zero(FLOATS);
        int even = columns / 32 & ~1;
        for (int group = 0; group < even; group += 2) {
            int in = 32 * group;
            long at = HostMemory.known(source + stride * group + gap * (group >>> 3));
            IntVector scaled = all.mul(table[group]).reinterpretAsInts();
            IntVector nibbles = (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, at, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_B2I, INTS,
                    0);
            a0 = nibbles.selectFrom(scaled).reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in), a0);
            nibbles = nibbles.lanewise(LSHR, 4).selectFrom(scaled);
            a1 = nibbles.reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in + 16), a1);
            scaled = all.mul(table[group + 1]).reinterpretAsInts();
            nibbles = (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, at + stride, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_B2I, INTS,
                    0);
            a0 = nibbles.selectFrom(scaled).reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in + 32), a0);
            nibbles = nibbles.lanewise(LSHR, 4).selectFrom(scaled);
            a1 = nibbles.reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in + 48), a1);
        }
        if (even < columns / 32) {
            int in = 32 * even;
            long at = HostMemory.known(source + stride * even + gap * (even >>> 3));
            IntVector scaled = all.mul(table[even]).reinterpretAsInts();
            IntVector nibbles = (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, at, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_B2I, INTS,
                    0);
            a0 = nibbles.selectFrom(scaled).reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in), a0);
            nibbles = nibbles.lanewise(LSHR, 4).selectFrom(scaled);
            a1 = nibbles.reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in + 16), a1);
        }
        a0.add(a1).intoArray(sums, to);
    }

    /**
     * Nibbles of Q4_1.
     *
     * @param table scale and offset of each group
     */
    static void q4x1(long source, float[] x, int columns, float[] table, float[] sums, int to) {
        FloatVector a0 = FloatVector.zero(FLOATS);
        FloatVector a1 = FloatVector.zero(FLOATS);
        int even = columns / 32 & ~1;
        for (int group = 0; group < even; group += 2) {
            int in = 32 * group;
            long at = HostMemory.known(source + 4 + 20 * group);
            FloatVector d = FloatVector.broadcast(FLOATS, table[2 * group]);
            FloatVector m = FloatVector.broadcast(FLOATS, table[2 * group + 1]);
            IntVector all = NibbleLevels.FROM_ZERO.fma(d, m).reinterpretAsInts();
            IntVector nibbles = (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, at, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_B2I, INTS,
                    0);
            a0 = nibbles.selectFrom(all).reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in), a0);
            nibbles = nibbles.lanewise(LSHR, 4).selectFrom(all);
            a1 = nibbles.reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in + 16), a1);
            d = FloatVector.broadcast(FLOATS, table[2 * group + 2]);
            m = FloatVector.broadcast(FLOATS, table[2 * group + 2 + 1]);
            all = NibbleLevels.FROM_ZERO.fma(d, m).reinterpretAsInts();
            nibbles = (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, at + 20, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_B2I, INTS, 0);
            a0 = nibbles.selectFrom(all).reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in + 32), a0);
            nibbles = nibbles.lanewise(LSHR, 4).selectFrom(all);
            a1 = nibbles.reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in + 48), a1);
        }
        if (even < columns / 32) {
            int in = 32 * even;
            FloatVector d = FloatVector.broadcast(FLOATS, table[2 * even]);
            FloatVector m = FloatVector.broadcast(FLOATS, table[2 * even + 1]);
            IntVector all = NibbleLevels.FROM_ZERO.fma(d, m).reinterpretAsInts();
            IntVector nibbles = (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, source + 4 + 20 * even, LITTLE_ENDIAN)
                    .convertShape(ZERO_EXTEND_B2I, INTS, 0);
            a0 = nibbles.selectFrom(all).reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in), a0);
            nibbles = nibbles.lanewise(LSHR, 4).selectFrom(all);
            a1 = nibbles.reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in + 16), a1);
        }
        a0.add(a1).intoArray(sums, to);
    }

    /**
     * Nibbles with a fifth bit each in a word of 32.
     *
     * @param source the first word, before its 16 bytes of nibbles
     * @param stride bytes from group to group
     * @param table scale and offset of each group
     */
    static void fiveBits(long source, int stride, float[] x, int columns, float[] table, float[] sums, int to) {
        FloatVector a0 = FloatVector.zero(FLOATS);
        FloatVector a1 = FloatVector.zero(FLOATS);
        int even = columns / 32 & ~1;
        for (int group = 0; group < even; group += 2) {
            int in = 32 * group;
            long word = HostMemory.known(source + stride * group);
            FloatVector d = FloatVector.broadcast(FLOATS, table[2 * group]);
            FloatVector m = FloatVector.broadcast(FLOATS, table[2 * group + 1]);
            int high = ALL.get(HostMemory.INT, word);
            IntVector nibbles = (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, word + 4, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_B2I,
                    INTS, 0);
            IntVector fifth = IntVector.broadcast(INTS, high << 4).lanewise(LSHR, LANE).and(16);
            a0 = ((FloatVector) nibbles.and(15).or(fifth).convertShape(I2F, FLOATS, 0)).fma(d, m).fma(FloatVector.fromArray(FLOATS, x, in),
                    a0);
            fifth = IntVector.broadcast(INTS, high >>> 12).lanewise(LSHR, LANE).and(16);
            a1 = ((FloatVector) nibbles.lanewise(LSHR, 4).or(fifth).convertShape(I2F, FLOATS, 0)).fma(d, m)
                    .fma(FloatVector.fromArray(FLOATS, x, in + 16), a1);
            word += stride;
            d = FloatVector.broadcast(FLOATS, table[2 * group + 2]);
            m = FloatVector.broadcast(FLOATS, table[2 * group + 2 + 1]);
            high = ALL.get(HostMemory.INT, word);
            nibbles = (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, word + 4, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_B2I, INTS, 0);
            fifth = IntVector.broadcast(INTS, high << 4).lanewise(LSHR, LANE).and(16);
            a0 = ((FloatVector) nibbles.and(15).or(fifth).convertShape(I2F, FLOATS, 0)).fma(d, m)
                    .fma(FloatVector.fromArray(FLOATS, x, in + 32), a0);
            fifth = IntVector.broadcast(INTS, high >>> 12).lanewise(LSHR, LANE).and(16);
            a1 = ((FloatVector) nibbles.lanewise(LSHR, 4).or(fifth).convertShape(I2F, FLOATS, 0)).fma(d, m)
                    .fma(FloatVector.fromArray(FLOATS, x, in + 48), a1);
        }
        if (even < columns / 32) {
            int in = 32 * even;
            long word = HostMemory.known(source + stride * even);
            FloatVector d = FloatVector.broadcast(FLOATS, table[2 * even]);
            FloatVector m = FloatVector.broadcast(FLOATS, table[2 * even + 1]);
            int high = ALL.get(HostMemory.INT, word);
            IntVector nibbles = (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, word + 4, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_B2I,
                    INTS, 0);
            IntVector fifth = IntVector.broadcast(INTS, high << 4).lanewise(LSHR, LANE).and(16);
            a0 = ((FloatVector) nibbles.and(15).or(fifth).convertShape(I2F, FLOATS, 0)).fma(d, m).fma(FloatVector.fromArray(FLOATS, x, in),
                    a0);
            fifth = IntVector.broadcast(INTS, high >>> 12).lanewise(LSHR, LANE).and(16);
            a1 = ((FloatVector) nibbles.lanewise(LSHR, 4).or(fifth).convertShape(I2F, FLOATS, 0)).fma(d, m)
                    .fma(FloatVector.fromArray(FLOATS, x, in + 16), a1);
        }
        a0.add(a1).intoArray(sums, to);
    }
}

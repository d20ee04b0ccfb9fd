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

/**
 * Decoders of rows for vectors of sixteen lanes: what {@link KQuantDots} and {@link BlockDots} do, with a store in place of the product.
 * Rules and reasons: {@link StoredDots}.
 */
final class WideDecoders {

    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_128;

    private WideDecoders() {}

    static void q4k(long source, long target, int columns, float[] table) {
        int pairs = columns / 64;
        for (int pair = 0; pair < pairs; pair++) {
            int at = 4 * pair;
            long nibbles = HostMemory.known(source + 16 + 32 * pair + 16 * (pair >>> 2));
            long out = HostMemory.known(target + 256 * pair);
            FloatVector d = FloatVector.broadcast(FLOATS, table[at]);
            FloatVector m = FloatVector.broadcast(FLOATS, table[at + 2]);
            IntVector low = NibbleLevels.FROM_ZERO.fma(d, m).reinterpretAsInts();
            d = FloatVector.broadcast(FLOATS, table[at + 1]);
            m = FloatVector.broadcast(FLOATS, table[at + 3]);
            IntVector high = NibbleLevels.FROM_ZERO.fma(d, m).reinterpretAsInts();
            IntVector b0 = (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, nibbles, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_B2I, INTS,
                    0);
            IntVector b1 = (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, nibbles + 16, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_B2I,
                    INTS, 0);
            b0.selectFrom(low).reinterpretAsFloats().intoMemorySegment(ALL, out, LITTLE_ENDIAN);
            b1.selectFrom(low).reinterpretAsFloats().intoMemorySegment(ALL, out + 64, LITTLE_ENDIAN);
            b0 = b0.lanewise(LSHR, 4).selectFrom(high);
            b1 = b1.lanewise(LSHR, 4).selectFrom(high);
            b0.reinterpretAsFloats().intoMemorySegment(ALL, out + 128, LITTLE_ENDIAN);
            b1.reinterpretAsFloats().intoMemorySegment(ALL, out + 192, LITTLE_ENDIAN);
        }
    }

    /** Unpacked Q5_K. */
    static void q5k(byte[] quants, long target, int columns, float[] table) {
        int pairs = columns / 64;
        for (int pair = 0; pair < pairs; pair++) {
            int at = 4 * pair;
            int in = 64 * pair;
            long out = HostMemory.known(target + 256 * pair);
            FloatVector d = FloatVector.broadcast(FLOATS, table[at]);
            FloatVector m = FloatVector.broadcast(FLOATS, table[at + 2]);
            ((FloatVector) ByteVector.fromArray(BYTES, quants, in).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).fma(d, m)
                    .intoMemorySegment(ALL, out, LITTLE_ENDIAN);
            ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 16).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).fma(d, m)
                    .intoMemorySegment(ALL, out + 64, LITTLE_ENDIAN);
            d = FloatVector.broadcast(FLOATS, table[at + 1]);
            m = FloatVector.broadcast(FLOATS, table[at + 3]);
            ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 32).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).fma(d, m)
                    .intoMemorySegment(ALL, out + 128, LITTLE_ENDIAN);
            ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 48).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).fma(d, m)
                    .intoMemorySegment(ALL, out + 192, LITTLE_ENDIAN);
        }
    }

    /** Unpacked rows of a scale for each 16 elements. */
    static void q6k(byte[] quants, long target, int columns, float[] table) {
        int parts = columns / 64;
        for (int part = 0; part < parts; part++) {
            int at = 4 * part;
            int in = 64 * part;
            // 256 * part, at such length that the method is not inlined.
            long out = HostMemory.known(target + 1024L * (part >>> 2) + 256 * (part & 3));
            FloatVector d = FloatVector.broadcast(FLOATS, table[at]);
            FloatVector e = FloatVector.broadcast(FLOATS, table[at + 1]);
            ((FloatVector) ByteVector.fromArray(BYTES, quants, in).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).mul(d)
                    .intoMemorySegment(ALL, out, LITTLE_ENDIAN);
            ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 16).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).mul(e)
                    .intoMemorySegment(ALL, out + 64, LITTLE_ENDIAN);
            d = FloatVector.broadcast(FLOATS, table[at + 2]);
            e = FloatVector.broadcast(FLOATS, table[at + 3]);
            ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 32).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).mul(d)
                    .intoMemorySegment(ALL, out + 128, LITTLE_ENDIAN);
            ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 48).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).mul(e)
                    .intoMemorySegment(ALL, out + 192, LITTLE_ENDIAN);
        }
    }

    /** Unpacked Q2_K. */
    static void q2k(byte[] quants, long target, int columns, float[] table) {
        int parts = columns / 64;
        for (int part = 0; part < parts; part++) {
            int at = 32 * (part >>> 2) + 4 * (part & 3);
            int in = 64 * part;
            long out = HostMemory.known(target + 256 * part);
            FloatVector d = FloatVector.broadcast(FLOATS, table[at]);
            FloatVector m = FloatVector.broadcast(FLOATS, table[at + 16]);
            ((FloatVector) ByteVector.fromArray(BYTES, quants, in).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).fma(d, m)
                    .intoMemorySegment(ALL, out, LITTLE_ENDIAN);
            d = FloatVector.broadcast(FLOATS, table[at + 1]);
            m = FloatVector.broadcast(FLOATS, table[at + 17]);
            ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 16).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).fma(d, m)
                    .intoMemorySegment(ALL, out + 64, LITTLE_ENDIAN);
            d = FloatVector.broadcast(FLOATS, table[at + 2]);
            m = FloatVector.broadcast(FLOATS, table[at + 18]);
            ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 32).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).fma(d, m)
                    .intoMemorySegment(ALL, out + 128, LITTLE_ENDIAN);
            d = FloatVector.broadcast(FLOATS, table[at + 3]);
            m = FloatVector.broadcast(FLOATS, table[at + 19]);
            ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 48).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).fma(d, m)
                    .intoMemorySegment(ALL, out + 192, LITTLE_ENDIAN);
        }
    }

    /** See {@link BlockDots#levels}. */
    static void levels(long source, int stride, int gap, float[] levels, long target, int columns, float[] table) {
        FloatVector all = FloatVector.fromArray(FLOATS, levels, 0);
        int even = columns / 32 & ~1;
        for (int group = 0; group < even; group += 2) {
            long at = HostMemory.known(source + stride * group + gap * (group >>> 3));
            long out = HostMemory.known(target + 128 * group);
            IntVector scaled = all.mul(table[group]).reinterpretAsInts();
            IntVector next = all.mul(table[group + 1]).reinterpretAsInts();
            IntVector nibbles = (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, at, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_B2I, INTS,
                    0);
            nibbles.selectFrom(scaled).reinterpretAsFloats().intoMemorySegment(ALL, out, LITTLE_ENDIAN);
            nibbles = nibbles.lanewise(LSHR, 4).selectFrom(scaled);
            nibbles.reinterpretAsFloats().intoMemorySegment(ALL, out + 64, LITTLE_ENDIAN);
            nibbles = (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, at + stride, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_B2I, INTS,
                    0);
            nibbles.selectFrom(next).reinterpretAsFloats().intoMemorySegment(ALL, out + 128, LITTLE_ENDIAN);
            nibbles = nibbles.lanewise(LSHR, 4).selectFrom(next);
            nibbles.reinterpretAsFloats().intoMemorySegment(ALL, out + 192, LITTLE_ENDIAN);
        }
        if (even < columns / 32) {
            long at = HostMemory.known(source + stride * even + gap * (even >>> 3));
            long out = HostMemory.known(target + 128L * even);
            IntVector scaled = all.mul(table[even]).reinterpretAsInts();
            IntVector nibbles = (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, at, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_B2I, INTS,
                    0);
            nibbles.selectFrom(scaled).reinterpretAsFloats().intoMemorySegment(ALL, out, LITTLE_ENDIAN);
            nibbles = nibbles.lanewise(LSHR, 4).selectFrom(scaled);
            nibbles.reinterpretAsFloats().intoMemorySegment(ALL, out + 64, LITTLE_ENDIAN);
        }
    }
}

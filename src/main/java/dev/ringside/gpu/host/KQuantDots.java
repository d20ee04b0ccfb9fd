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

/** Dot products of stored rows of Q2_K to Q6_K for vectors of sixteen lanes. Rules and reasons: {@link StoredDots}. */
final class KQuantDots {

    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_128;

    private KQuantDots() {}

    static void q4k(long source, float[] x, int columns, float[] table, float[] sums, int to) {
        FloatVector a0 = FloatVector.zero(FLOATS);
        FloatVector a1 = FloatVector.zero(FLOATS);
        int pairs = columns / 64;
        for (int pair = 0; pair < pairs; pair++) {
            int at = 4 * pair;
            int in = 64 * pair;
            long nibbles = HostMemory.known(source + 16 + 32 * pair + 16 * (pair >>> 2));
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
            a0 = b0.selectFrom(low).reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in), a0);
            a1 = b1.selectFrom(low).reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in + 16), a1);
            b0 = b0.lanewise(LSHR, 4).selectFrom(high);
            b1 = b1.lanewise(LSHR, 4).selectFrom(high);
            a0 = b0.reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in + 32), a0);
            a1 = b1.reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, in + 48), a1);
        }
        a0.add(a1).intoArray(sums, to);
    }

    /** Unpacked Q5_K: a scale and an offset for each 32 elements, as {@link ScaleTables#pairs} lays them out. */
    static void q5k(byte[] quants, float[] x, int columns, float[] table, float[] sums, int to) {
        FloatVector a0 = FloatVector.zero(FLOATS);
        FloatVector a1 = FloatVector.zero(FLOATS);
        int pairs = columns / 64;
        for (int pair = 0; pair < pairs; pair++) {
            int at = 4 * pair;
            int in = 64 * pair;
            FloatVector d = FloatVector.broadcast(FLOATS, table[at]);
            FloatVector m = FloatVector.broadcast(FLOATS, table[at + 2]);
            a0 = ((FloatVector) ByteVector.fromArray(BYTES, quants, in).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).fma(d, m)
                    .fma(FloatVector.fromArray(FLOATS, x, in), a0);
            a1 = ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 16).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0))
                    .fma(d, m).fma(FloatVector.fromArray(FLOATS, x, in + 16), a1);
            d = FloatVector.broadcast(FLOATS, table[at + 1]);
            m = FloatVector.broadcast(FLOATS, table[at + 3]);
            a0 = ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 32).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0))
                    .fma(d, m).fma(FloatVector.fromArray(FLOATS, x, in + 32), a0);
            a1 = ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 48).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0))
                    .fma(d, m).fma(FloatVector.fromArray(FLOATS, x, in + 48), a1);
        }
        a0.add(a1).intoArray(sums, to);
    }

    /** Unpacked rows of a scale for each 16 elements: Q3_K, Q6_K, NVFP4 and the types with codebooks. */
    static void q6k(byte[] quants, float[] x, int columns, float[] table, float[] sums, int to) {
        FloatVector a0 = FloatVector.zero(FLOATS);
        FloatVector a1 = FloatVector.zero(FLOATS);
        int parts = columns / 64;
        for (int part = 0; part < parts; part++) {
            int at = 4 * part;
            int in = 64 * part;
            FloatVector d = FloatVector.broadcast(FLOATS, table[at]);
            a0 = ((FloatVector) ByteVector.fromArray(BYTES, quants, in).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).mul(d)
                    .fma(FloatVector.fromArray(FLOATS, x, in), a0);
            d = FloatVector.broadcast(FLOATS, table[at + 1]);
            a1 = ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 16).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).mul(d)
                    .fma(FloatVector.fromArray(FLOATS, x, in + 16), a1);
            d = FloatVector.broadcast(FLOATS, table[at + 2]);
            a0 = ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 32).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).mul(d)
                    .fma(FloatVector.fromArray(FLOATS, x, in + 32), a0);
            d = FloatVector.broadcast(FLOATS, table[at + 3]);
            a1 = ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 48).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0)).mul(d)
                    .fma(FloatVector.fromArray(FLOATS, x, in + 48), a1);
        }
        a0.add(a1).intoArray(sums, to);
    }

    /** Unpacked Q2_K: for each block sixteen scales, then sixteen offsets, each for 16 elements. */
    static void q2k(byte[] quants, float[] x, int columns, float[] table, float[] sums, int to) {
        FloatVector a0 = FloatVector.zero(FLOATS);
        FloatVector a1 = FloatVector.zero(FLOATS);
        int parts = columns / 64;
        for (int part = 0; part < parts; part++) {
            int at = 32 * (part >>> 2) + 4 * (part & 3);
            int in = 64 * part;
            FloatVector d = FloatVector.broadcast(FLOATS, table[at]);
            FloatVector m = FloatVector.broadcast(FLOATS, table[at + 16]);
            a0 = ((FloatVector) ByteVector.fromArray(BYTES, quants, in).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0))
                    .fma(d, m).fma(FloatVector.fromArray(FLOATS, x, in), a0);
            d = FloatVector.broadcast(FLOATS, table[at + 1]);
            m = FloatVector.broadcast(FLOATS, table[at + 17]);
            a1 = ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 16).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0))
                    .fma(d, m).fma(FloatVector.fromArray(FLOATS, x, in + 16), a1);
            d = FloatVector.broadcast(FLOATS, table[at + 2]);
            m = FloatVector.broadcast(FLOATS, table[at + 18]);
            a0 = ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 32).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0))
                    .fma(d, m).fma(FloatVector.fromArray(FLOATS, x, in + 32), a0);
            d = FloatVector.broadcast(FLOATS, table[at + 3]);
            m = FloatVector.broadcast(FLOATS, table[at + 19]);
            a1 = ((FloatVector) ByteVector.fromArray(BYTES, quants, in + 48).convertShape(B2I, INTS, 0).convertShape(I2F, FLOATS, 0))
                    .fma(d, m).fma(FloatVector.fromArray(FLOATS, x, in + 48), a1);
        }
        a0.add(a1).intoArray(sums, to);
    }
}

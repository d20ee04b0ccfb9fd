package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.HostMemory.ALL;
import static dev.ringside.gpu.host.Lanes.INTS;
import static dev.ringside.gpu.host.Vectors.FLOATS;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_S2I;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorSpecies;

/** Dot products of stored rows of F16 and BF16, whole pairs of vectors of sixteen lanes. Rules and reasons: {@link StoredDots}. */
final class PlainDots {

    private static final VectorSpecies<Short> SHORTS = ShortVector.SPECIES_256;

    private PlainDots() {}

    static void bf16(long source, float[] x, int columns, float[] sums, int to) {
        FloatVector a0 = FloatVector.zero(FLOATS);
        FloatVector a1 = FloatVector.zero(FLOATS);
        int even = columns / 64;
        for (int part = 0; part < even; part++) {
            int i = 64 * part;
            long at = HostMemory.known(source + 2 * i);
            a0 = ((IntVector) ShortVector.fromMemorySegment(SHORTS, ALL, at, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_S2I, INTS, 0))
                    .lanewise(LSHL, 16).reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, i), a0);
            a1 = ((IntVector) ShortVector.fromMemorySegment(SHORTS, ALL, at + 32, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_S2I, INTS, 0))
                    .lanewise(LSHL, 16).reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, i + 16), a1);
            a0 = ((IntVector) ShortVector.fromMemorySegment(SHORTS, ALL, at + 64, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_S2I, INTS, 0))
                    .lanewise(LSHL, 16).reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, i + 32), a0);
            a1 = ((IntVector) ShortVector.fromMemorySegment(SHORTS, ALL, at + 96, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_S2I, INTS, 0))
                    .lanewise(LSHL, 16).reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, i + 48), a1);
        }
        if (64 * even < columns) {
            int i = 64 * even;
            a0 = ((IntVector) ShortVector.fromMemorySegment(SHORTS, ALL, source + 2 * i, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_S2I, INTS,
                    0)).lanewise(LSHL, 16).reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, i), a0);
            a1 = ((IntVector) ShortVector.fromMemorySegment(SHORTS, ALL, source + 2 * i + 32, LITTLE_ENDIAN).convertShape(ZERO_EXTEND_S2I,
                    INTS, 0)).lanewise(LSHL, 16).reinterpretAsFloats().fma(FloatVector.fromArray(FLOATS, x, i + 16), a1);
        }
        a0.add(a1).intoArray(sums, to);
    }

    /** A row that was decoded to the heap. */
    static void floats(float[] row, float[] x, int columns, float[] sums, int to) {
        FloatVector a0 = FloatVector.zero(FLOATS);
        FloatVector a1 = FloatVector.zero(FLOATS);
        int parts = columns / 128;
        for (int part = 0; part < parts; part++) {
            int i = 128 * part;
            a0 = FloatVector.fromArray(FLOATS, row, i).fma(FloatVector.fromArray(FLOATS, x, i), a0);
            a1 = FloatVector.fromArray(FLOATS, row, i + 16).fma(FloatVector.fromArray(FLOATS, x, i + 16), a1);
            a0 = FloatVector.fromArray(FLOATS, row, i + 32).fma(FloatVector.fromArray(FLOATS, x, i + 32), a0);
            a1 = FloatVector.fromArray(FLOATS, row, i + 48).fma(FloatVector.fromArray(FLOATS, x, i + 48), a1);
            a0 = FloatVector.fromArray(FLOATS, row, i + 64).fma(FloatVector.fromArray(FLOATS, x, i + 64), a0);
            a1 = FloatVector.fromArray(FLOATS, row, i + 80).fma(FloatVector.fromArray(FLOATS, x, i + 80), a1);
            a0 = FloatVector.fromArray(FLOATS, row, i + 96).fma(FloatVector.fromArray(FLOATS, x, i + 96), a0);
            a1 = FloatVector.fromArray(FLOATS, row, i + 112).fma(FloatVector.fromArray(FLOATS, x, i + 112), a1);
        }
        for (int part = 4 * parts; part < columns / 32; part++) {
            int i = 32 * part;
            a0 = FloatVector.fromArray(FLOATS, row, i).fma(FloatVector.fromArray(FLOATS, x, i), a0);
            a1 = FloatVector.fromArray(FLOATS, row, i + 16).fma(FloatVector.fromArray(FLOATS, x, i + 16), a1);
        }
        a0.add(a1).intoArray(sums, to);
    }
}

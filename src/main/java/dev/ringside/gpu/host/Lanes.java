package dev.ringside.gpu.host;

import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Loads of packed integers into as many int lanes as {@link Vectors} has float lanes. Everything is a constant or small enough to be inlined:
 * the Vector API is fast only where the compiler sees species and shapes as constants.
 */
final class Lanes {

    /** Floats of a vector: 4, 8 or 16. */
    static final int COUNT = Vectors.LANES;
    static final VectorSpecies<Integer> INTS = COUNT == 16
            ? IntVector.SPECIES_512
            : COUNT == 8 ? IntVector.SPECIES_256 : IntVector.SPECIES_128;
    static final int BYTES = 4 * COUNT;

    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final VectorSpecies<Byte> PACKED_BYTES = COUNT == 16 ? ByteVector.SPECIES_128 : ByteVector.SPECIES_64;
    private static final VectorSpecies<Short> PACKED_SHORTS = COUNT == 16
            ? ShortVector.SPECIES_256
            : COUNT == 8 ? ShortVector.SPECIES_128 : ShortVector.SPECIES_64;
    private static final IntVector BYTE_SHIFTS = IntVector.zero(INTS).addIndex(8);
    /** 0, 1, 2, … */
    static final IntVector INDEX = IntVector.zero(INTS).addIndex(1);

    /** The lanes of the second half. */
    static final VectorMask<Float> UPPER_HALF = VectorMask.fromLong(Vectors.FLOATS, -1L << COUNT / 2);

    private Lanes() {}

    /** {@link #COUNT} bytes, 0 to 255. */
    static IntVector unsignedBytes(long address) {
        if (COUNT == 4) {
            // There is no vector of four bytes.
            return IntVector.broadcast(INTS, HostMemory.getInt(address)).lanewise(VectorOperators.LSHR, BYTE_SHIFTS).and(255);
        }
        return (IntVector) ByteVector.fromMemorySegment(PACKED_BYTES, HostMemory.ALL, address, ORDER)
                .convertShape(VectorOperators.ZERO_EXTEND_B2I, INTS, 0);
    }

    /** {@link #COUNT} bytes, -128 to 127. */
    static IntVector signedBytes(long address) {
        if (COUNT == 4) {
            return unsignedBytes(address).lanewise(VectorOperators.LSHL, 24).lanewise(VectorOperators.ASHR, 24);
        }
        return (IntVector) ByteVector.fromMemorySegment(PACKED_BYTES, HostMemory.ALL, address, ORDER)
                .convertShape(VectorOperators.B2I, INTS, 0);
    }

    /** {@link #COUNT} shorts, 0 to 65535. */
    static IntVector unsignedShorts(long address) {
        return (IntVector) ShortVector.fromMemorySegment(PACKED_SHORTS, HostMemory.ALL, address, ORDER)
                .convertShape(VectorOperators.ZERO_EXTEND_S2I, INTS, 0);
    }

    static FloatVector toFloats(IntVector values) {
        return (FloatVector) values.convertShape(VectorOperators.I2F, Vectors.FLOATS, 0);
    }
}

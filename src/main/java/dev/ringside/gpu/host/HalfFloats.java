package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.HostMemory.ALL;
import static dev.ringside.gpu.host.HostMemory.FLOAT;
import static dev.ringside.gpu.host.HostMemory.SHORT;
import static dev.ringside.gpu.host.Vectors.LANES;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.ShortVector.fromMemorySegment;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** IEEE half precision to and from single, exactly and with round-to-nearest-even. */
final class HalfFloats {

    private static final VectorSpecies<Short> SHORTS = LANES == 16
            ? ShortVector.SPECIES_256
            : LANES == 8 ? ShortVector.SPECIES_128 : ShortVector.SPECIES_64;
    private static final int MAGNITUDE = 0x7FFF;
    private static final int SIGN = 0x8000;
    private static final int BIAS = 112 << 23;
    private static final int HALF_INFINITY = 0x7C00 << 13;
    private static final int HALF_SMALLEST_NORMAL = 0x0400 << 13;
    private static final float SMALLEST_NORMAL = 0x1p-14f;

    private HalfFloats() {}

    static void toFloats(long halves, int count, long floats) {
        int whole = count & -LANES;
        for (int i = 0; i < whole; i += LANES) {
            IntVector bits = (IntVector) fromMemorySegment(SHORTS, ALL, halves + 2L * i, LITTLE_ENDIAN).convertShape(
                    VectorOperators.ZERO_EXTEND_S2I,
                    Lanes.INTS, 0);
            IntVector magnitude = bits.and(MAGNITUDE).lanewise(VectorOperators.LSHL, 13);
            IntVector sign = bits.and(SIGN).lanewise(VectorOperators.LSHL, 16);
            // infinities and NaN keep an exponent of all ones; subnormals lend themselves the lowest bit and give it back
            IntVector rebiased = magnitude.add(BIAS).add(BIAS, magnitude.compare(VectorOperators.GE, HALF_INFINITY));
            IntVector subnormal = rebiased.add(1 << 23).reinterpretAsFloats().sub(SMALLEST_NORMAL).reinterpretAsInts();
            rebiased.blend(subnormal, magnitude.compare(VectorOperators.LT, HALF_SMALLEST_NORMAL)).or(sign).reinterpretAsFloats()
                    .intoMemorySegment(ALL, floats + 4L * i, LITTLE_ENDIAN);
        }
        for (int i = whole; i < count; i++) {
            ALL.set(FLOAT, floats + 4L * i, Float.float16ToFloat(ALL.get(SHORT, halves + 2L * i)));
        }
    }

    /** By way of the heap: a loop over arrays becomes the processor's own conversion, which the Vector API lacks. */
    static void toFloats(long source, int count, short[] halves, float[] floats) {
        MemorySegment.copy(ALL, SHORT, source, halves, 0, count);
        for (int i = 0; i < count; i++) {
            floats[i] = Float.float16ToFloat(halves[i]);
        }
    }

    static void fromFloats(long floats, int count, long halves) {
        for (int i = 0; i < count; i++) {
            ALL.set(SHORT, halves + 2L * i, Float.floatToFloat16(ALL.get(FLOAT, floats + 4L * i)));
        }
    }
}

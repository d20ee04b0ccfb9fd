package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.HostMemory.ALL;
import static dev.ringside.gpu.host.HostMemory.FLOAT;
import static dev.ringside.gpu.host.HostMemory.SHORT;
import static dev.ringside.gpu.host.Vectors.FLOATS;
import static dev.ringside.gpu.host.Vectors.LANES;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static jdk.incubator.vector.ByteVector.fromMemorySegment;

import dev.ringside.gpu.KvType;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** Elements as signed bytes, each group of {@value KvType#GROUP} with an F16 scale that lies elsewhere. */
final class SignedBytes {

    // Where a vector has four floats, half of the bytes loaded are not used; behind every row there are scales.
    private static final VectorSpecies<Byte> BYTES = LANES == 16 ? ByteVector.SPECIES_128 : ByteVector.SPECIES_64;
    private static final int LIMIT = 127;

    private SignedBytes() {}

    /** Rounds to the nearest multiple of the scale, which is the largest magnitude of the group over 127, rounded to F16. */
    static void fromFloats(long floats, int count, long bytes, long scales) {
        for (int from = 0, group = 0; from < count; from += KvType.GROUP, group++) {
            int to = Math.min(count, from + KvType.GROUP);
            float largest = 0;
            for (int i = from; i < to; i++) {
                largest = Math.max(largest, Math.abs(ALL.get(FLOAT, floats + 4L * i)));
            }
            short half = Float.floatToFloat16(largest / LIMIT);
            ALL.set(SHORT, scales + 2L * group, half);
            float scale = Float.float16ToFloat(half);
            for (int i = from; i < to; i++) {
                float ratio = scale == 0 ? 0 : ALL.get(FLOAT, floats + 4L * i) / scale;
                ALL.set(JAVA_BYTE, bytes + i, (byte) Math.clamp(Math.round(ratio), -LIMIT, LIMIT));
            }
        }
    }

    static void toFloats(long bytes, long scales, int count, long floats) {
        int whole = count & -LANES;
        for (int i = 0; i < whole; i += LANES) {
            FloatVector values = (FloatVector) fromMemorySegment(BYTES, ALL, bytes + i, LITTLE_ENDIAN).convertShape(VectorOperators.B2F,
                    FLOATS, 0);
            values.mul(scale(scales, i)).intoMemorySegment(ALL, floats + 4L * i, LITTLE_ENDIAN);
        }
        for (int i = whole; i < count; i++) {
            ALL.set(FLOAT, floats + 4L * i, ALL.get(JAVA_BYTE, bytes + i) * scale(scales, i));
        }
    }

    private static float scale(long scales, int index) {
        return Float.float16ToFloat(ALL.get(SHORT, scales + 2L * (index / KvType.GROUP)));
    }
}

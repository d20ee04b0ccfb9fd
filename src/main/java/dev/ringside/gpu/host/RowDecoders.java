package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.Lanes.COUNT;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/** Decoders of rows of plain and 32-element-block types into floats, in vectors. Layouts: see {@link dev.ringside.gguf.BlockDecoder}. */
final class RowDecoders {

    private RowDecoders() {}

    static float half(long address) {
        return Float.float16ToFloat(HostMemory.getShort(address));
    }

    static void bf16(long source, long target, int columns) {
        int whole = columns - columns % COUNT;
        for (int i = 0; i < whole; i += COUNT) {
            IntVector bits = Lanes.unsignedShorts(source + 2L * i).lanewise(VectorOperators.LSHL, 16);
            Vectors.store(bits.reinterpretAsFloats(), target + 4L * i);
        }
        for (int i = whole; i < columns; i++) {
            HostMemory.setFloat(target + 4L * i, Float.intBitsToFloat(HostMemory.getShort(source + 2L * i) << 16));
        }
    }

    static void q8x0(long source, long target, int columns) {
        long block = source;
        for (int i = 0; i < columns; i += 32, block += 34) {
            FloatVector d = Vectors.broadcast(half(block));
            for (int e = 0; e < 32; e += COUNT) {
                Vectors.store(Lanes.toFloats(Lanes.signedBytes(block + 2 + e)).mul(d), target + 4L * (i + e));
            }
        }
    }

    static void q4x0(long source, long target, int columns) {
        long block = source;
        for (int i = 0; i < columns; i += 32, block += 18) {
            float d = half(block);
            nibbles(block + 2, d, -8 * d, target + 4L * i);
        }
    }

    static void q4x1(long source, long target, int columns) {
        long block = source;
        for (int i = 0; i < columns; i += 32, block += 20) {
            nibbles(block + 4, half(block), half(block + 2), target + 4L * i);
        }
    }

    private static void nibbles(long source, float scale, float offset, long target) {
        FloatVector d = Vectors.broadcast(scale);
        FloatVector m = Vectors.broadcast(offset);
        for (int e = 0; e < 16; e += COUNT) {
            IntVector bytes = Lanes.unsignedBytes(source + e);
            Vectors.store(Lanes.toFloats(bytes.and(15)).fma(d, m), target + 4L * e);
            Vectors.store(Lanes.toFloats(bytes.lanewise(VectorOperators.LSHR, 4)).fma(d, m), target + 4L * (16 + e));
        }
    }

    static void q5x0(long source, long target, int columns) {
        long block = source;
        for (int i = 0; i < columns; i += 32, block += 22) {
            float d = half(block);
            fiveBits(block + 6, HostMemory.getInt(block + 2), d, -16 * d, target + 4L * i);
        }
    }

    static void q5x1(long source, long target, int columns) {
        long block = source;
        for (int i = 0; i < columns; i += 32, block += 24) {
            fiveBits(block + 8, HostMemory.getInt(block + 4), half(block), half(block + 2), target + 4L * i);
        }
    }

    private static void fiveBits(long source, int high, float scale, float offset, long target) {
        FloatVector d = Vectors.broadcast(scale);
        FloatVector m = Vectors.broadcast(offset);
        for (int e = 0; e < 16; e += COUNT) {
            IntVector bytes = Lanes.unsignedBytes(source + e);
            IntVector low = bytes.and(15).or(fifthBit(e == 0 ? high << 4 : high >>> (e - 4)));
            IntVector up = bytes.lanewise(VectorOperators.LSHR, 4).or(fifthBit(high >>> (12 + e)));
            Vectors.store(Lanes.toFloats(low).fma(d, m), target + 4L * e);
            Vectors.store(Lanes.toFloats(up).fma(d, m), target + 4L * (16 + e));
        }
    }

    /** 16 in lane i where bit 4 + i is set. */
    static IntVector fifthBit(int bits) {
        return IntVector.broadcast(Lanes.INTS, bits).lanewise(VectorOperators.LSHR, Lanes.INDEX).and(16);
    }
}

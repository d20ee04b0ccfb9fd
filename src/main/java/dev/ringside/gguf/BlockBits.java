package dev.ringside.gguf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reads the fields of a block. */
final class BlockBits {

    private BlockBits() {}

    static int u8(MemorySegment source, long at) {
        return source.get(ValueLayout.JAVA_BYTE, at) & 0xFF;
    }

    /** Byte {@code index} of the field at {@code at}. */
    static int u8(MemorySegment source, long at, int index) {
        return u8(source, at + index);
    }

    static int s8(MemorySegment source, long at) {
        return source.get(ValueLayout.JAVA_BYTE, at);
    }

    static int u16(MemorySegment source, long at) {
        return source.get(GgufValue.SHORT, at) & 0xFFFF;
    }

    static int u32(MemorySegment source, long at) {
        return source.get(GgufValue.INT, at);
    }

    /** Word {@code index} of the field at {@code at}. */
    static int u16(MemorySegment source, long at, int index) {
        return u16(source, at + 2L * index);
    }

    /** Word {@code index} of the field at {@code at}. */
    static int u32(MemorySegment source, long at, int index) {
        return u32(source, at + 4L * index);
    }

    static float f16(MemorySegment source, long at) {
        return Float.float16ToFloat(source.get(GgufValue.SHORT, at));
    }

    /** The bits of {@code value} from {@code shift} upwards that {@code mask} covers. */
    static int bits(int value, int shift, int mask) {
        return (value >>> shift) & mask;
    }

    /** Element {@code i} of a run of nibbles: the low ones of {@code half} bytes come first, then the high ones. */
    static int nibble(MemorySegment source, long at, int i, int half) {
        return i < half ? u8(source, at + i) & 15 : u8(source, at + i - half) >> 4;
    }
}

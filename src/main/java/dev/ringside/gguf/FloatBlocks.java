package dev.ringside.gguf;

import java.lang.foreign.MemorySegment;

/** Elements stored as floating-point numbers; BF16 is the upper half of an IEEE single. */
final class FloatBlocks {

    private FloatBlocks() {}

    static void f32(MemorySegment source, long at, float[] target, int to) {
        target[to] = source.get(GgufValue.FLOAT, at);
    }

    static void f16(MemorySegment source, long at, float[] target, int to) {
        target[to] = BlockBits.f16(source, at);
    }

    static void bf16(MemorySegment source, long at, float[] target, int to) {
        target[to] = Float.intBitsToFloat(BlockBits.u16(source, at) << 16);
    }
}

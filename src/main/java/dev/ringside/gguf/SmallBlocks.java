package dev.ringside.gguf;

import static dev.ringside.gguf.BlockBits.bits;
import static dev.ringside.gguf.BlockBits.f16;
import static dev.ringside.gguf.BlockBits.nibble;
import static dev.ringside.gguf.BlockBits.s8;
import static dev.ringside.gguf.BlockBits.u32;

import java.lang.foreign.MemorySegment;

/**
 * Blocks of 32 elements with one half-precision scale {@code d} at byte 0, and a minimum {@code m} at byte 2 in the {@code _1} types. The
 * five-bit types keep the fifth bits of all elements in one 32-bit word.
 */
final class SmallBlocks {

    private static final int ELEMENTS = 32;

    private SmallBlocks() {}

    /** Nibbles from byte 2: {@code d (q - 8)}. */
    static void q4_0(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int i = 0; i < ELEMENTS; i++) {
            target[to + i] = d * (nibble(source, at + 2, i, 16) - 8);
        }
    }

    /** Nibbles from byte 4: {@code d q + m}. */
    static void q4_1(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        float m = f16(source, at + 2);
        for (int i = 0; i < ELEMENTS; i++) {
            target[to + i] = d * nibble(source, at + 4, i, 16) + m;
        }
    }

    /** Fifth bits at byte 2, nibbles from byte 6: {@code d (q - 16)}. */
    static void q5_0(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        int high = u32(source, at + 2);
        for (int i = 0; i < ELEMENTS; i++) {
            target[to + i] = d * ((nibble(source, at + 6, i, 16) | (bits(high, i, 1) << 4)) - 16);
        }
    }

    /** Fifth bits at byte 4, nibbles from byte 8: {@code d q + m}. */
    static void q5_1(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        float m = f16(source, at + 2);
        int high = u32(source, at + 4);
        for (int i = 0; i < ELEMENTS; i++) {
            target[to + i] = d * (nibble(source, at + 8, i, 16) | (bits(high, i, 1) << 4)) + m;
        }
    }

    /** Signed bytes from byte 2: {@code d q}. */
    static void q8_0(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int i = 0; i < ELEMENTS; i++) {
            target[to + i] = d * s8(source, at + 2 + i);
        }
    }
}

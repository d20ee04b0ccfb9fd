package dev.ringside.gguf;

import static dev.ringside.gguf.BlockBits.bits;
import static dev.ringside.gguf.BlockBits.f16;
import static dev.ringside.gguf.BlockBits.s8;
import static dev.ringside.gguf.BlockBits.u8;

import java.lang.foreign.MemorySegment;

/**
 * Blocks of 256 elements in groups of 16 or 32, each group with a small integer scale (and minimum) below the block's half-precision
 * ones.
 */
final class KBlocks {

    private static final int ELEMENTS = 256;

    private KBlocks() {}

    /** Scales and minima (nibbles of one byte) at 0, 2-bit values at 16, {@code d} at 80, {@code dmin} at 82. */
    static void q2(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at + 80);
        float min = f16(source, at + 82);
        for (int i = 0; i < ELEMENTS; i++) {
            int s = u8(source, at, i / 16);
            target[to + i] = d * (s & 15) * crumb(source, at + 16, i) - min * (s >> 4);
        }
    }

    /** Third bits at 0, 2-bit values at 32, twelve bytes of 6-bit scales at 96, {@code d} at 108. */
    static void q3(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at + 108);
        for (int i = 0; i < ELEMENTS; i++) {
            int s = i / 16;
            int low = bits(u8(source, at + 96, s % 8), 4 * (s / 8), 15);
            int high = bits(u8(source, at + 104, s % 4), 2 * (s / 4), 3);
            int third = bits(u8(source, at, i % 32), i / 32, 1);
            target[to + i] = d * ((low | (high << 4)) - 32) * (crumb(source, at + 32, i) - (third == 1 ? 0 : 4));
        }
    }

    /** {@code d} at 0, {@code dmin} at 2, twelve bytes of 6-bit scales and minima at 4, nibbles at 16. */
    static void q4(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        float min = f16(source, at + 2);
        for (int j = 0; j < 8; j++) {
            float scale = d * scale(source, at + 4, j);
            float offset = min * minimum(source, at + 4, j);
            for (int l = 0; l < 32; l++) {
                int q = bits(u8(source, at + 16, 32 * (j / 2) + l), 4 * (j % 2), 15);
                target[to + 32 * j + l] = scale * q - offset;
            }
        }
    }

    /** As {@link #q4} with the fifth bits at 16, bit {@code j} of byte {@code l} for element {@code l} of group {@code j}; nibbles at 48. */
    static void q5(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        float min = f16(source, at + 2);
        for (int j = 0; j < 8; j++) {
            float scale = d * scale(source, at + 4, j);
            float offset = min * minimum(source, at + 4, j);
            for (int l = 0; l < 32; l++) {
                int low = bits(u8(source, at + 48, 32 * (j / 2) + l), 4 * (j % 2), 15);
                int high = bits(u8(source, at + 16, l), j, 1);
                target[to + 32 * j + l] = scale * (low | (high << 4)) - offset;
            }
        }
    }

    /** Low nibbles at 0, upper two bits at 128, signed 8-bit scales of 16 elements at 192, {@code d} at 208. */
    static void q6(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at + 208);
        for (int i = 0; i < ELEMENTS; i++) {
            int half = i / 128;
            int group = i % 128 / 32;
            int l = i % 32;
            int low = bits(u8(source, at, 64 * half + l + 32 * (group % 2)), 4 * (group / 2), 15);
            int high = bits(u8(source, at + 128, 32 * half + l), 2 * group, 3);
            target[to + i] = d * s8(source, at + 192 + i / 16) * ((low | (high << 4)) - 32);
        }
    }

    /** Two-bit value of element {@code i}: four groups of 32 share 32 bytes, the first group in the lowest bits. */
    private static int crumb(MemorySegment source, long at, int i) {
        return bits(u8(source, at, 32 * (i / 128) + i % 32), 2 * (i % 128 / 32), 3);
    }

    /** Six-bit scale of group {@code j}: groups 4 to 7 keep their upper two bits in the bytes of groups 0 to 3. */
    private static int scale(MemorySegment source, long at, int j) {
        return j < 4 ? u8(source, at, j) & 63 : bits(u8(source, at, j + 4), 0, 15) | (bits(u8(source, at, j - 4), 6, 3) << 4);
    }

    /** Six-bit minimum of group {@code j}, packed like {@link #scale}. */
    private static int minimum(MemorySegment source, long at, int j) {
        return j < 4 ? u8(source, at, j + 4) & 63 : bits(u8(source, at, j + 4), 4, 15) | (bits(u8(source, at, j), 6, 3) << 4);
    }
}

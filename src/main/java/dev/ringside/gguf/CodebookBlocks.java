package dev.ringside.gguf;

import static dev.ringside.gguf.BlockBits.bits;
import static dev.ringside.gguf.BlockBits.f16;
import static dev.ringside.gguf.BlockBits.u16;
import static dev.ringside.gguf.BlockBits.u32;
import static dev.ringside.gguf.BlockBits.u8;

import java.lang.foreign.MemorySegment;

/** Blocks of 256 elements whose values are rows of a {@link Codebook}, with signs (IQ2, IQ3) or a common shift (IQ1). */
final class CodebookBlocks {

    private static final int ELEMENTS = 256;
    private static final float IQ1_SHIFT = 0.125f;

    private CodebookBlocks() {}

    /** {@code d} at 0; per 32 elements eight bytes at 2: four indices, then a word of four 7-bit signs and a 4-bit scale. */
    static void iq2Xxs(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int i = 0; i < ELEMENTS; i++) {
            long group = at + 2 + 8L * (i / 32);
            int word = u32(source, group + 4);
            float scale = d * (0.5f + (word >>> 28)) * 0.25f;
            int value = Codebook.IQ2_XXS.value(u8(source, group, i % 32 / 8), i % 8);
            target[to + i] = scale * value * sign7(bits(word, 7 * (i % 32 / 8), 127), i % 8);
        }
    }

    /** {@code d} at 0, per eight elements nine bits of index and seven of signs at 2, 4-bit scales of 16 elements at 66. */
    static void iq2Xs(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int i = 0; i < ELEMENTS; i++) {
            int packed = u16(source, at + 2, i / 8);
            int value = Codebook.IQ2_XS.value(packed & 511, i % 8);
            target[to + i] = d * (0.5f + scale16(source, at + 66, i)) * 0.25f * value * sign7(packed >> 9, i % 8);
        }
    }

    /** {@code d} at 0, low bytes of the indices at 2, signs at 34, upper two bits of the indices at 66, scales of 16 elements at 74. */
    static void iq2S(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int i = 0; i < ELEMENTS; i++) {
            int index = u8(source, at + 2, i / 8) | (bits(u8(source, at + 66, i / 32), 2 * (i / 8 % 4), 3) << 8);
            int value = Codebook.IQ2_S.value(index, i % 8);
            target[to + i] = d * (0.5f + scale16(source, at + 74, i)) * 0.25f * value * sign8(u8(source, at + 34, i / 8), i % 8);
        }
    }

    /** {@code d} at 0, indices of four elements each at 2, per 32 elements a word of four 7-bit signs and a 4-bit scale at 66. */
    static void iq3Xxs(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int i = 0; i < ELEMENTS; i++) {
            int word = u32(source, at + 66, i / 32);
            float scale = d * (0.5f + (word >>> 28)) * 0.5f;
            int value = Codebook.IQ3_XXS.value(u8(source, at + 2, i / 4), i % 4);
            target[to + i] = scale * value * sign7(bits(word, 7 * (i % 32 / 8), 127), i % 8);
        }
    }

    /** {@code d} at 0, low bytes of the indices at 2, their ninth bits at 66, signs at 74, 4-bit scales of 32 elements at 106. */
    static void iq3S(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int i = 0; i < ELEMENTS; i++) {
            int index = u8(source, at + 2, i / 4) | (bits(u8(source, at + 66, i / 32), i / 4 % 8, 1) << 8);
            int scale = 1 + 2 * bits(u8(source, at + 106, i / 64), 4 * (i / 32 % 2), 15);
            int value = Codebook.IQ3_S.value(index, i % 4);
            target[to + i] = d * scale * value * sign8(u8(source, at + 74, i / 8), i % 8);
        }
    }

    /** {@code d} at 0, low bytes of the indices at 2, per 32 elements a word at 34: upper index bits, 3-bit scale, sign of the shift. */
    static void iq1S(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int i = 0; i < ELEMENTS; i++) {
            int word = u16(source, at + 34, i / 32);
            int index = u8(source, at + 2, i / 8) | (bits(word, 3 * (i % 32 / 8), 7) << 8);
            float shift = (word & 0x8000) == 0 ? IQ1_SHIFT : -IQ1_SHIFT;
            target[to + i] = d * (2 * bits(word, 12, 7) + 1) * (Codebook.IQ1.value(index, i % 8) + shift);
        }
    }

    /**
     * Low bytes of the indices at 0, per eight elements a nibble of upper index bits and sign of the shift at 32, four words at 48: 3-bit
     * scales of 16 elements, and in their top nibbles the half-precision {@code d}.
     */
    static void iq1M(MemorySegment source, long at, float[] target, int to) {
        int half = 0;
        for (int i = 0; i < 4; i++) {
            half |= bits(u16(source, at + 48, i), 12, 15) << (4 * i);
        }
        float d = Float.float16ToFloat((short) half);
        for (int i = 0; i < ELEMENTS; i++) {
            int high = bits(u8(source, at + 32, i / 16), 4 * (i / 8 % 2), 15);
            int index = u8(source, at, i / 8) | ((high & 7) << 8);
            int scale = bits(u16(source, at + 48, i / 64), 6 * (i / 32 % 2) + 3 * (i / 16 % 2), 7);
            float shift = (high & 8) == 0 ? IQ1_SHIFT : -IQ1_SHIFT;
            target[to + i] = d * (2 * scale + 1) * (Codebook.IQ1.value(index, i % 8) + shift);
        }
    }

    private static int scale16(MemorySegment source, long at, int i) {
        return bits(u8(source, at, i / 32), 4 * (i / 16 % 2), 15);
    }

    private static int sign8(int signs, int element) {
        return bits(signs, element, 1) == 0 ? 1 : -1;
    }

    /** Seven signs are stored, the eighth makes the number of minus signs even. */
    private static int sign7(int signs, int element) {
        return sign8(signs | ((Integer.bitCount(signs) & 1) << 7), element);
    }
}

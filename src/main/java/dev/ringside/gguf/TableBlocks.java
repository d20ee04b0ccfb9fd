package dev.ringside.gguf;

import static dev.ringside.gguf.BlockBits.bits;
import static dev.ringside.gguf.BlockBits.f16;
import static dev.ringside.gguf.BlockBits.nibble;
import static dev.ringside.gguf.BlockBits.u16;
import static dev.ringside.gguf.BlockBits.u8;

import java.lang.foreign.MemorySegment;

/** Blocks whose four-bit values index a fixed table: sixteen unevenly spaced levels (IQ4) or four-bit floats (FP4, E2M1). */
final class TableBlocks {

    private static final byte[] LEVELS = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
    /** The E2M1 numbers doubled, so that they are integers. */
    private static final byte[] DOUBLED_FP4 = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

    private TableBlocks() {}

    /** 32 elements: {@code d} at 0, nibbles at 2. */
    static void iq4Nl(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        for (int i = 0; i < 32; i++) {
            target[to + i] = d * LEVELS[nibble(source, at + 2, i, 16)];
        }
    }

    /** 256 elements in groups of 32: {@code d} at 0, upper two bits of the 6-bit scales at 2, their low nibbles at 4, values at 8. */
    static void iq4Xs(MemorySegment source, long at, float[] target, int to) {
        float d = f16(source, at);
        int high = u16(source, at + 2);
        for (int s = 0; s < 8; s++) {
            int scale = (bits(u8(source, at + 4, s / 2), 4 * (s % 2), 15) | (bits(high, 2 * s, 3) << 4)) - 32;
            for (int l = 0; l < 32; l++) {
                target[to + 32 * s + l] = d * scale * LEVELS[nibble(source, at + 8 + 16L * s, l, 16)];
            }
        }
    }

    /** 32 elements: a power of two (E8M0) at 0, nibbles at 1. OCP Microscaling formats, MXFP4. */
    static void mxfp4(MemorySegment source, long at, float[] target, int to) {
        // One power lower because the table is doubled; the two smallest exponents are subnormal, which scalb gets right.
        float d = Math.scalb(1f, u8(source, at) - 128);
        for (int i = 0; i < 32; i++) {
            target[to + i] = d * DOUBLED_FP4[nibble(source, at + 1, i, 16)];
        }
    }

    /** 64 elements in groups of 16: a scale (unsigned E4M3) for each group at 0, nibbles at 4. The tensor's own scale is not applied. */
    static void nvfp4(MemorySegment source, long at, float[] target, int to) {
        for (int s = 0; s < 4; s++) {
            float d = 0.5f * unsignedE4m3(u8(source, at, s));
            for (int l = 0; l < 16; l++) {
                target[to + 16 * s + l] = d * DOUBLED_FP4[nibble(source, at + 4 + 8L * s, l, 8)];
            }
        }
    }

    /** The NaN pattern 0x7F reads as 0, as the format's writers expect. */
    private static float unsignedE4m3(int code) {
        if (code == 0 || code == 0x7F) {
            return 0;
        }
        int exponent = bits(code, 3, 15);
        int mantissa = code & 7;
        return exponent == 0 ? Math.scalb((float) mantissa, -9) : Math.scalb(1 + mantissa / 8f, exponent - 7);
    }
}

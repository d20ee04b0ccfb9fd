package dev.ringside.cli;

import dev.ringside.gguf.GgmlType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/** Where each quantised type keeps the scale of a block, for setting it. Layouts: the format's definition of each block. */
final class BlockScales {

    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int MXFP4_ONE = 128;
    private static final int UE4M3_BIAS = 7;

    private BlockScales() {}

    /** Makes what is between scale and value fit: minima equal to their scales, so that each group of values is even around zero. */
    static void prepare(GgmlType type, MemorySegment blocks, long at, SplittableRandom random) {
        switch (type) {
            case Q2_K -> {
                for (int i = 0; i < 16; i++) {
                    int scale = 4 + random.nextInt(12);
                    put(blocks, at + i, scale | scale << 4);
                }
            }
            case Q4_K, Q5_K -> {
                for (int i = 0; i < 4; i++) {
                    int low = 16 + random.nextInt(48);
                    int high = 16 + random.nextInt(48);
                    put(blocks, at + 4 + i, low | high >> 4 << 6);
                    put(blocks, at + 8 + i, low | high >> 4 << 6);
                    put(blocks, at + 12 + i, (high & 15) * 17);
                }
            }
            default -> {
                // Random bits are good as they are.
            }
        }
    }

    /** Sets the scale of a block, and the minimum that goes with it. */
    static void set(GgmlType type, MemorySegment blocks, long at, double scale) {
        switch (type) {
            case Q4_0, Q5_0, Q8_0, IQ4_NL, IQ4_XS, IQ1_S, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S -> half(blocks, at, scale);
            case Q4_1 -> halves(blocks, at, scale, -7.5 * scale);
            case Q5_1 -> halves(blocks, at, scale, -15.5 * scale);
            case Q4_K -> halves(blocks, at, scale, 7.5 * scale);
            case Q5_K -> halves(blocks, at, scale, 15.5 * scale);
            case Q2_K -> halves(blocks, at + 80, scale, 1.5 * scale);
            case Q3_K -> half(blocks, at + 108, scale);
            case Q6_K -> half(blocks, at + 208, scale);
            case MXFP4 -> put(blocks, at, (int) Math.clamp(MXFP4_ONE + Math.rint(log2(Math.abs(scale))), 2, 254));
            case NVFP4 -> {
                for (int i = 0; i < 4; i++) {
                    put(blocks, at + i, ue4m3(Math.abs(scale)));
                }
            }
            case IQ1_M -> {
                int bits = Float.floatToFloat16((float) scale) & 0xFFFF;
                for (int i = 0; i < 4; i++) {
                    long byteAt = at + 48 + 2L * i + 1;
                    put(blocks, byteAt, blocks.get(ValueLayout.JAVA_BYTE, byteAt) & 15 | (bits >> 4 * i & 15) << 4);
                }
            }
            case F32, F16, BF16 -> throw new IllegalArgumentException(type + " has no scale");
        }
    }

    private static void halves(MemorySegment blocks, long at, double first, double second) {
        half(blocks, at, first);
        half(blocks, at + 2, second);
    }

    private static void half(MemorySegment blocks, long at, double value) {
        blocks.set(SHORT, at, Float.floatToFloat16((float) value));
    }

    private static void put(MemorySegment blocks, long at, int value) {
        blocks.set(ValueLayout.JAVA_BYTE, at, (byte) value);
    }

    private static double log2(double value) {
        return Math.log(value) / Math.log(2);
    }

    /** Nearest float of four exponent and three mantissa bits, no sign. */
    static int ue4m3(double value) {
        int exponent = (int) Math.floor(log2(value)) + UE4M3_BIAS;
        if (exponent < 1) {
            return (int) Math.clamp(Math.rint(value * 512), 1, 8);
        }
        int bits = (exponent << 3) + (int) Math.rint((value / Math.scalb(1.0, exponent - UE4M3_BIAS) - 1) * 8);
        return Math.min(bits, 0x7E);
    }
}

package dev.ringside.gpu;

import dev.ringside.gguf.GgmlType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Random;

/** Random stored rows of every type: random bits with scales that are finite and small, so that decoded values are of order 1. */
public final class RandomWeights {

    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private RandomWeights() {}

    public static byte[] rows(GgmlType type, int rows, int columns, Random random) {
        byte[] bytes = new byte[Math.toIntExact(type.rowBytes(columns) * rows)];
        random.nextBytes(bytes);
        MemorySegment segment = MemorySegment.ofArray(bytes);
        for (int at = 0; at < bytes.length; at += type.blockBytes()) {
            fixScales(type, segment, at, random);
        }
        return bytes;
    }

    private static void fixScales(GgmlType type, MemorySegment block, int at, Random random) {
        switch (type) {
            case F32 -> block.set(INT, at, Float.floatToIntBits((float) random.nextGaussian()));
            case F16 -> block.set(SHORT, at, Float.floatToFloat16((float) (random.nextGaussian() * Math.pow(2, -random.nextInt(24)))));
            case BF16 -> block.set(SHORT, at, (short) (Float.floatToIntBits((float) random.nextGaussian()) >>> 16));
            case Q4_1, Q5_1 -> halves(block, at, random, 1.0, 0, 2);
            case Q4_K, Q5_K -> halves(block, at, random, 0.02, 0, 2);
            case Q2_K -> halves(block, at, random, 0.05, 80, 82);
            case Q3_K -> halves(block, at, random, 0.02, 108);
            case Q6_K -> halves(block, at, random, 0.001, 208);
            case Q8_0, IQ4_NL -> halves(block, at, random, 0.02, 0);
            case IQ4_XS -> halves(block, at, random, 0.001, 0);
            case IQ1_M -> block.set(ValueLayout.JAVA_BYTE, at + 55, (byte) (0x20 | random.nextInt(16)));
            case MXFP4 -> block.set(ValueLayout.JAVA_BYTE, at, (byte) (120 + random.nextInt(8)));
            case NVFP4 -> {
                for (int i = 0; i < 4; i++) {
                    block.set(ValueLayout.JAVA_BYTE, at + i, (byte) (0x20 + random.nextInt(0x20)));
                }
            }
            default -> halves(block, at, random, 0.1, 0);
        }
    }

    private static void halves(MemorySegment block, int at, Random random, double scale, int... offsets) {
        for (int offset : offsets) {
            block.set(SHORT, at + offset, Float.floatToFloat16((float) (random.nextGaussian() * scale)));
        }
    }
}

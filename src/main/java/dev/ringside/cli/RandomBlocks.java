package dev.ringside.cli;

import dev.ringside.gguf.BlockDecoder;
import dev.ringside.gguf.GgmlType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/**
 * Stored blocks of random values with a given mean and spread. Quantised blocks are random bits, with scales such that the decoded values
 * have the spread asked for and, over a block, no bias that would add up in a sum.
 */
final class RandomBlocks {

    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int MEASURED_BLOCKS = 256;
    private static final double Q8_SPREAD = 30;

    private RandomBlocks() {}

    /** Whether values of the type can be given a mean. */
    static boolean takesMean(GgmlType type) {
        return !type.isQuantised() || type == GgmlType.Q8_0;
    }

    /**
     * About {@code bytes} bytes of whole blocks.
     *
     * @param deviation standard deviation of the values
     * @param mean 0 unless {@link #takesMean}
     */
    static MemorySegment create(Arena arena, GgmlType type, long bytes, double deviation, double mean, SplittableRandom random) {
        int size = type.blockBytes();
        long blocks = Math.max(1, bytes / size);
        MemorySegment pool = arena.allocate(blocks * size, 64);
        if (takesMean(type)) {
            for (long block = 0; block < blocks; block++) {
                value(pool, block * size, type, deviation, mean, random);
            }
            return pool;
        }
        for (long i = 0; i + 8 <= pool.byteSize(); i += 8) {
            pool.set(ValueLayout.JAVA_LONG_UNALIGNED, i, random.nextLong());
        }
        for (long block = 0; block < blocks; block++) {
            BlockScales.prepare(type, pool, block * size, random);
            BlockScales.set(type, pool, block * size, 1);
        }
        double scale = deviation / spread(pool, type, (int) Math.min(blocks, MEASURED_BLOCKS));
        for (long block = 0; block < blocks; block++) {
            double own = scale * (0.75 + random.nextDouble() / 2);
            BlockScales.set(type, pool, block * size, random.nextBoolean() ? own : -own);
        }
        return pool;
    }

    private static void value(MemorySegment pool, long at, GgmlType type, double deviation, double mean, SplittableRandom random) {
        switch (type) {
            case F32 -> pool.set(FLOAT, at, (float) (mean + deviation * random.nextGaussian()));
            case F16 -> pool.set(SHORT, at, Float.floatToFloat16((float) (mean + deviation * random.nextGaussian())));
            case BF16 -> pool.set(SHORT, at,
                    (short) (Float.floatToRawIntBits((float) (mean + deviation * random.nextGaussian())) >>> 16));
            case Q8_0 -> {
                pool.set(SHORT, at, Float.floatToFloat16((float) (deviation / Q8_SPREAD)));
                for (int i = 0; i < type.blockElements(); i++) {
                    double q = Math.rint(Q8_SPREAD * (random.nextGaussian() + mean / deviation));
                    pool.set(ValueLayout.JAVA_BYTE, at + 2 + i, (byte) Math.clamp(q, -127, 127));
                }
            }
            default -> throw new IllegalArgumentException(type + " has values without a mean");
        }
    }

    private static double spread(MemorySegment pool, GgmlType type, int blocks) {
        float[] values = new float[blocks * type.blockElements()];
        BlockDecoder.of(type).decode(pool, 0, values, 0, values.length);
        double squares = 0;
        for (float value : values) {
            squares += (double) value * value;
        }
        return Math.sqrt(squares / values.length);
    }
}

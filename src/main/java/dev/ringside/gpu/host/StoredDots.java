package dev.ringside.gpu.host;

import dev.ringside.gguf.GgmlType;

/**
 * Dot products of stored rows with one row of activations, without writing the decoded floats anywhere: what a single token needs. Each
 * gives the bits of {@link WeightRows#decode} followed by {@link DotKernels#dot}: the same floats, added in the same order.
 *
 * <p>Loops of these kernels are flat, with activations and scales in arrays, and tell the compiler that the address of a block is in range
 * ({@link HostMemory#known}), so that nothing is left of the checks of segments. Segments read at addresses linear in the loop, or loops in
 * loops, make it set up range checks that take longer than the products. Kernels call the Vector API directly and are longer
 * than 325 bytes of bytecode on purpose, so that none is inlined into {@link #dot}: three of them are more than the compiler inlines in one
 * method, and what is left over boxes every vector.
 */
final class StoredDots {

    private StoredDots() {}

    /** Whether there is a kernel for rows of the type on this CPU. */
    static boolean supports(GgmlType type, int columns) {
        return Lanes.COUNT == 16 && switch (type) {
            case F32 -> false;
            case F16, BF16 -> columns % 32 == 0;
            default -> true;
        };
    }

    /** Leaves the sums of the lanes of one product at {@code to} of the worker's sums, to be added up by {@link #finish}. */
    static void dot(GgmlType type, long source, int columns, WorkArea work, int to) {
        float[] x = work.x();
        float[] table = work.scales();
        float[] sums = work.laneSums();
        switch (type) {
            case Q8_0 -> {
                ScaleTables.halves(source, 34, columns / 32, table);
                BlockDots.q8x0(source, x, columns, table, sums, to);
            }
            case F16 -> {
                HalfFloats.toFloats(source, columns, work.halves(), work.row());
                PlainDots.floats(work.row(), x, columns, sums, to);
            }
            case BF16 -> PlainDots.bf16(source, x, columns, sums, to);
            case Q4_1 -> {
                ScaleTables.scaleAndOffset(source, true, 20, columns / 32, table);
                BlockDots.q4x1(source, x, columns, table, sums, to);
            }
            case Q2_K -> {
                ScaleTables.q2k(source, columns / 256, table);
                QuantUnpacker.q2k(source, columns, work.quants());
                KQuantDots.q2k(work.quants(), x, columns, table, sums, to);
            }
            case NVFP4, IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S -> {
                LookedUp.unpack(type, source, columns, work.quants(), table);
                KQuantDots.q6k(work.quants(), x, columns, table, sums, to);
            }
            case Q4_0 -> {
                ScaleTables.halves(source, 18, columns / 32, table);
                BlockDots.levels(source + 2, 18, 0, NibbleLevels.CENTRED, x, columns, table, sums, to);
            }
            case IQ4_NL -> {
                ScaleTables.halves(source, 18, columns / 32, table);
                BlockDots.levels(source + 2, 18, 0, NibbleLevels.UNEVEN, x, columns, table, sums, to);
            }
            case IQ4_XS -> {
                ScaleTables.iq4xs(source, columns / 256, table);
                BlockDots.levels(source + 8, 16, 8, NibbleLevels.UNEVEN, x, columns, table, sums, to);
            }
            case MXFP4 -> {
                ScaleTables.mxfp4(source, columns / 32, table);
                BlockDots.levels(source + 1, 17, 0, NibbleLevels.FP4, x, columns, table, sums, to);
            }
            case Q5_0 -> {
                ScaleTables.scaleAndOffset(source, false, 22, columns / 32, table);
                BlockDots.fiveBits(source + 2, 22, x, columns, table, sums, to);
            }
            case Q5_1 -> {
                ScaleTables.scaleAndOffset(source, true, 24, columns / 32, table);
                BlockDots.fiveBits(source + 4, 24, x, columns, table, sums, to);
            }
            case Q3_K -> {
                ScaleTables.q3k(source, columns / 256, table);
                QuantUnpacker.q3k(source, columns, work.quants());
                KQuantDots.q6k(work.quants(), x, columns, table, sums, to);
            }
            case Q4_K -> {
                ScaleTables.pairs(source, 144, columns / 256, table);
                KQuantDots.q4k(source, x, columns, table, sums, to);
            }
            case Q5_K -> {
                ScaleTables.pairs(source, 176, columns / 256, table);
                QuantUnpacker.q5k(source, columns, work.quants());
                KQuantDots.q5k(work.quants(), x, columns, table, sums, to);
            }
            case Q6_K -> {
                QuantUnpacker.q6k(source, columns, work.quants());
                ScaleTables.q6k(source, columns / 256, table);
                KQuantDots.q6k(work.quants(), x, columns, table, sums, to);
            }
            case F32 -> throw new IllegalArgumentException("Rows of F32 need no kernel of their own");
        }
    }

    /** Adds up the lanes of {@code count} products and writes them one behind the other. */
    static void finish(float[] sums, int count, long target) {
        DotKernels.reduceLanes(sums, count);
        for (int i = 0; i < count; i++) {
            HostMemory.setFloat(target + 4L * i, sums[i]);
        }
    }
}

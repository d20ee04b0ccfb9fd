package dev.ringside.gpu.cuda;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.Matrix;
import org.jspecify.annotations.Nullable;

/**
 * Products with the rows of prompts, on tensor cores: the rows are first split into sums of two bf16 (mma.cu says why). One kernel for each
 * type serves any number of rows, so that a row's bits do not depend on that number.
 */
final class PrefillProducts implements AutoCloseable {

    /** As in mma.cu: rows, outputs and columns of a tile. */
    private static final int ROWS = 128;
    private static final int OUTPUTS = 128;
    private static final int COLUMNS = 32;
    private static final int THREADS = 256;
    /** Three tiles of activations, two of weights, each in two planes. */
    private static final int SHARED = 5 * 2 * 2 * ROWS * COLUMNS;
    /** Bytes of a split element. */
    private static final int SPLIT = 4;

    private final OperationContext context;
    private final Scratch split;
    private final boolean hopper;
    private final @Nullable Kernel[] kernels = new @Nullable Kernel[GgmlType.values().length];
    private @Nullable Kernel splitRows;

    PrefillProducts(OperationContext context) {
        this.context = context;
        this.split = context.scratch("activations of prompts");
        DeviceFacts facts = context.backend().cuda().driver().facts();
        this.hopper = facts.major() == 9 && facts.minor() == 0;
    }

    /** As {@link ProductOps#dense}. */
    void dense(Matrix w, @Nullable Matrix v, long x, int rows, long y) {
        int padded = padded(w.columns());
        long parts = split(w.type(), x, rows, w.columns(), padded);
        Launch launch = begin(w.type()).i64(w.data().address()).i64(v == null ? 0 : v.data().address() + 1).i64(0).i64(0);
        launch.i64(w.rowBytes()).i32(w.rows()).i32(w.columns()).f32(w.scale()).f32(v == null ? 1 : v.scale());
        launch.i64(0).i64(0).i64(0).i64(0).i32(rows).i32(0).i32(0).i32(padded);
        finish(launch, w.type(), parts, y, w.rows(), v != null, rows, 1);
    }

    /** As {@link ProductOps#grouped}. */
    void grouped(ProductOps.First w, ProductOps.@Nullable Second v, ProductOps.Groups groups, int xDivide, long x, int rowsOfX,
            boolean yPair,
            long y) {
        int padded = padded(w.columns());
        long parts = split(w.type(), x, rowsOfX, w.columns(), padded);
        Launch launch = begin(w.type()).i64(w.at()).i64(v == null ? 0 : v.at() + 1).i64(w.scales()).i64(v == null ? 0 : v.scales());
        launch.i64(w.type().rowBytes(w.columns())).i32(w.outputs()).i32(w.columns()).f32(w.scale()).f32(v == null ? 1 : v.scale());
        launch.i64(groups.slots()).i64(groups.firstPair()).i64(groups.pairs()).i64(groups.expert()).i32(0).i32(xDivide).flag(yPair)
                .i32(padded);
        finish(launch, w.type(), parts, y, w.outputs(), v != null, groups.most(), groups.groups());
    }

    private static int padded(int columns) {
        return (columns + COLUMNS - 1) / COLUMNS * COLUMNS;
    }

    /** How far apart the halves of a decoded unit are, as {@code Unit::STRIDE} in decode.cuh and decode_tables.cuh. */
    static int stride(GgmlType type) {
        return switch (type) {
            case Q4_0, Q4_1, Q5_0, Q5_1, IQ4_NL, IQ4_XS, MXFP4 -> 16;
            case Q4_K, Q5_K -> 32;
            case Q6_K -> 64;
            default -> 8;
        };
    }

    private long split(GgmlType type, long x, int rows, int columns, int padded) {
        long parts = split.bytes((long) SPLIT * rows * padded);
        Kernel kernel = splitRows;
        if (kernel == null) {
            kernel = context.kernel("split", "split");
            splitRows = kernel;
        }
        context.launch().of(kernel).i64(x).i32(columns).i32(padded).i32(stride(type)).i64(parts).run(rows, 1,
                OperationContext.threads(padded / 8, 256));
        return parts;
    }

    private Launch begin(GgmlType type) {
        Kernel kernel = kernels[type.ordinal()];
        if (kernel == null) {
            kernel = context.kernel(KernelModules.prompts(type, hopper), "prompt_product", SHARED);
            kernels[type.ordinal()] = kernel;
        }
        return context.launch().of(kernel).struct();
    }

    private void finish(Launch launch, GgmlType type, long parts, long y, int outputs, boolean paired, int most, int groups) {
        launch.i64(context.backend().codebooks().address(type)).i64(parts).i64(y).end();
        launch.run(OperationContext.blocks(outputs, paired ? OUTPUTS / 2 : OUTPUTS), OperationContext.blocks(most, ROWS), groups, THREADS,
                SHARED);
    }

    @Override
    public void close() {
        split.close();
    }
}

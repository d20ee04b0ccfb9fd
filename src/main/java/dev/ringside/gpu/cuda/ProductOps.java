package dev.ringside.gpu.cuda;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Matrix;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Products with stored matrices: chooses the kernel by the type and by the rows that share a weight. */
final class ProductOps implements AutoCloseable {

    /** Warps of a block. */
    private static final int WARPS = 4;
    private static final int WARPS_FOR_EACH_PROCESSOR = 8;

    /**
     * A kernel: rows that share a weight, and outputs that share an activation, in one warp. Bits are the same in all of them.
     */
    private enum Tile {
        ONE(1, 1), ROW(1, 4), FEW_ROWS(4, 4), ROWS(8, 4);

        private final int rows;
        private final int outputs;

        Tile(int rows, int outputs) {
            this.rows = rows;
            this.outputs = outputs;
        }
    }

    private static final Tile[] TILES = Tile.values();
    private static final Kernel[] NOT_LOADED = {};

    /**
     * A second matrix that makes a product {@code silu(W x) . (V x)}.
     *
     * @param at address, or offset in a slot
     * @param scales address of a factor for each expert, or 0
     */
    record Second(long at, float scale, long scales) {}

    /**
     * Lists of rows by expert, on the device.
     *
     * @param groups number of experts
     * @param most rows of the largest group
     * @param prompts whether the rows are those of prompts, or none of them is
     */
    record Groups(int groups, int most, long slots, long firstPair, long expert, long pairs, boolean prompts) {}

    /**
     * One matrix, or one of each expert.
     *
     * @param at address, or offset in a slot
     * @param scales address of a factor for each expert, or 0
     */
    record First(GgmlType type, long at, int outputs, int columns, float scale, long scales) {}

    private final OperationContext context;
    private final PrefillProducts prefill;
    private final FastProducts fast;
    private final Matrix[] together = new Matrix[FastProducts.most()];
    private final long[] results = new long[FastProducts.most()];
    private final Kernel[][] kernels = new Kernel[GgmlType.values().length][];

    ProductOps(OperationContext context) {
        this.context = context;
        this.prefill = new PrefillProducts(context);
        this.fast = new FastProducts(context);
        Arrays.fill(kernels, NOT_LOADED);
    }

    /** See {@link dev.ringside.gpu.Kernels#matmul}. */
    void matmul(Matrix w, DevicePtr input, int rows, DevicePtr output) {
        input.require(4L * rows * w.columns(), "Matmul input");
        output.require(4L * rows * w.rows(), "Matmul output");
        OperationContext.requireAligned(input, "Matmul input");
        dense(w, null, input.address(), rows, output.address());
    }

    /**
     * {@code y = W x}, or {@code silu(W x) . (V x)} with a second matrix of the same type and shape; ranges have been checked.
     *
     * @param rows those of the step, or those whose logits are wanted, of which the rows of prompts are computed apart
     */
    void dense(Matrix w, @Nullable Matrix v, long x, int rows, long y) {
        if (rows == 0 || w.rows() == 0) {
            return;
        }
        int decoded = context.decodeRows(rows);
        if (decoded < rows) {
            prefill.dense(w, v, x + 4L * decoded * w.columns(), rows - decoded, y + 4L * decoded * w.rows());
        }
        if (decoded > 0) {
            few(w, v, x, decoded, y);
        }
    }

    FastProducts fast() {
        return fast;
    }

    /** Products of the same rows: as many as are alike in one kernel, when all rows are decoded. */
    void matmul(Matrix[] weights, DevicePtr input, int rows, DevicePtr[] outputs) {
        boolean decoded = rows > 0 && context.decodeRows(rows) == rows;
        int at = 0;
        while (at < weights.length) {
            Matrix first = weights[at];
            int count = 1;
            if (decoded && fast.serves(first.type(), first.columns())) {
                while (at + count < weights.length && count < together.length && weights[at + count].type() == first.type()
                        && weights[at + count].columns() == first.columns()) {
                    count++;
                }
            }
            if (count == 1) {
                matmul(first, input, rows, outputs[at]);
            } else {
                OperationContext.requireAligned(input, "Matmul input");
                input.require(4L * rows * first.columns(), "Matmul input");
                for (int m = 0; m < count; m++) {
                    together[m] = weights[at + m];
                    outputs[at + m].require(4L * rows * together[m].rows(), "Matmul output");
                    results[m] = outputs[at + m].address();
                    fast.forget(results[m]);
                }
                fast.dense(together, count, null, input.address(), rows, results, false, false);
            }
            at += count;
        }
    }

    /** {@code sum += W x} in one kernel, where there is one for that; says whether it did. */
    boolean addMatmul(Matrix w, DevicePtr input, int rows, DevicePtr sum) {
        if (rows == 0 || context.decodeRows(rows) < rows || !fast.serves(w.type(), w.columns())) {
            return false;
        }
        OperationContext.requireAligned(input, "Matmul input");
        input.require(4L * rows * w.columns(), "Matmul input");
        sum.require(4L * rows * w.rows(), "Sum");
        together[0] = w;
        results[0] = sum.address();
        fast.dense(together, 1, null, input.address(), rows, results, true, false);
        fast.forget(sum.address());
        return true;
    }

    /** Whether products of decoded rows with such matrices are {@link #fast}. */
    boolean isFast(GgmlType type, int columns) {
        return fast.serves(type, columns);
    }

    private void few(Matrix w, @Nullable Matrix v, long x, int rows, long y) {
        if (fast.serves(w.type(), w.columns())) {
            together[0] = w;
            results[0] = y;
            fast.forget(y);
            fast.dense(together, 1, v, x, rows, results, false, v != null);
            return;
        }
        Tile tile = tile(w.type(), w.rows(), rows, 1);
        Launch launch = begin(w.type(), tile).i64(w.data().address()).i64(v == null ? 0 : v.data().address() + 1).i64(0).i64(0);
        launch.i64(w.rowBytes()).i32(w.rows()).i32(w.columns()).f32(w.scale()).f32(v == null ? 1 : v.scale());
        launch.i64(0).i64(0).i64(0).i64(0).i32(rows).i32(0).i32(0);
        finish(launch, w.type(), tile, x, y, w.rows(), w.columns(), rows, rows, 1);
    }

    /**
     * The same for the experts of a wave.
     *
     * @param xDivide 0 to read rows in the order of the list, else pair / xDivide is read
     * @param yPair whether results go to the rows of the pairs instead of the order of the list
     */
    void grouped(First w, @Nullable Second v, Groups groups, int xDivide, long x, int rowsOfX, boolean yPair, long y) {
        if (groups.prompts()) {
            prefill.grouped(w, v, groups, xDivide, x, rowsOfX, yPair, y);
            return;
        }
        Tile tile = tile(w.type(), w.outputs(), groups.most(), groups.groups());
        Launch launch = begin(w.type(), tile).i64(w.at()).i64(v == null ? 0 : v.at() + 1).i64(w.scales()).i64(v == null ? 0 : v.scales());
        launch.i64(w.type().rowBytes(w.columns())).i32(w.outputs()).i32(w.columns()).f32(w.scale()).f32(v == null ? 1 : v.scale());
        launch.i64(groups.slots()).i64(groups.firstPair()).i64(groups.pairs()).i64(groups.expert()).i32(0).i32(xDivide).flag(yPair);
        finish(launch, w.type(), tile, x, y, w.outputs(), w.columns(), rowsOfX, groups.most(), groups.groups());
    }

    private Launch begin(GgmlType type, Tile tile) {
        return context.launch().of(kernels(type)[tile.ordinal()]).struct();
    }

    private void finish(Launch launch, GgmlType type, Tile tile, long x, long y, int outputs, int columns, int rowsOfX, int most,
            int groups) {
        if ((long) rowsOfX * columns > 0xFFFF_FFFFL) {
            throw new IllegalArgumentException(
                    rowsOfX + " rows of " + columns + " elements are more than a matrix product addresses; use smaller"
                            + " steps");
        }
        launch.i64(context.backend().codebooks().address(type)).i64(x).i64(y).end();
        launch.run(OperationContext.blocks(outputs, WARPS * tile.outputs), OperationContext.blocks(most, tile.rows), groups, 32 * WARPS, 0);
    }

    /** A warp takes several outputs only where there are warps enough without; F32 weights are wide enough for one row as they are. */
    private Tile tile(GgmlType type, int outputs, int rows, int groups) {
        if (outputs < Tile.ROW.outputs) {
            return Tile.ONE;
        }
        if (rows > 1) {
            return rows <= Tile.FEW_ROWS.rows ? Tile.FEW_ROWS : Tile.ROWS;
        }
        long warps = (long) outputs * groups / Tile.ROW.outputs;
        return type == GgmlType.F32 || warps < (long) WARPS_FOR_EACH_PROCESSOR * context.processors() ? Tile.ONE : Tile.ROW;
    }

    private Kernel[] kernels(GgmlType type) {
        Kernel[] found = kernels[type.ordinal()];
        if (found.length == 0) {
            String module = KernelModules.matmul(type);
            found = new Kernel[TILES.length + 1];
            for (Tile tile : TILES) {
                found[tile.ordinal()] = context.kernel(module, "product_" + tile.rows + "x" + tile.outputs);
            }
            found[TILES.length] = context.kernel(module, "gather");
            kernels[type.ordinal()] = found;
        }
        return found;
    }

    /**
     * Gathers and decodes rows of a table.
     *
     * @param numbers address of 64-bit row numbers, or 0 for the tokens of the step
     */
    void gather(Matrix table, long numbers, int count, int copies, DevicePtr out) {
        out.require(4L * count * copies * table.columns(), "Gathered rows");
        fast.forget(out.address());
        if (count == 0) {
            return;
        }
        context.launch().of(kernels(table.type())[TILES.length]).i64(table.data().address()).i64(table.rowBytes()).i32(table.columns())
                .f32(table.scale()).i64(context.backend().codebooks().address(table.type()))
                .i64(numbers == 0 ? context.step().address() : 0)
                .i64(numbers).i32(copies).i64(out.address()).run(count, 1, OperationContext.threads(table.columns() / 16 + 1, 128));
    }

    @Override
    public void close() {
        fast.close();
        prefill.close();
    }
}

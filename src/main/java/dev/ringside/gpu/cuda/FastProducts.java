package dev.ringside.gpu.cuda;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.Closing;
import dev.ringside.gpu.Matrix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Products of stored matrices with the rows of decoding on tensor cores, see fast.cu. Rows are read as sixteen-bit integers with a scale for each 32: made by whatever
 * made the rows where that can do so, else in front of the product, and kept until the rows are written again.
 */
final class FastProducts implements AutoCloseable {

    /** As in fast.cu. */
    private static final int OUTPUTS = 16;
    private static final int ROWS = 4;
    private static final int MOST_WARPS = 16;
    private static final int DOWN_WARPS = 24;
    private static final int MOST_ITEMS = 96;
    private static final int MATRICES = 5;
    private static final int UNIT = 256;
    private static final int RUNS = 16;
    private static final int GROUP = 32;
    /** High and low bytes, scale, and scaled sum. */
    private static final int GROUP_BYTES = 72;
    /** Shared memory that every device gives a block. */
    private static final int SHARED = 48 << 10;
    private static final int[] TILES = {1, 2, 4};
    private static final int THREADS = 256;
    /** As combine has them, whose sums must come out the same. */
    private static final int COMBINE_THREADS = 256;
    private static final Kernel[] NOT_LOADED = {};

    /** Rows as fast.cuh has them, of the floats at an address. */
    private static final class Parts {

        private final long floats;
        private final int columns;
        private final Scratch memory;
        private int rows;

        Parts(long floats, int columns, Scratch memory) {
            this.floats = floats;
            this.columns = columns;
            this.memory = memory;
        }

        long address(int most) {
            return memory.bytes(bytes(Math.max(most, LEAST_ROWS), columns));
        }
    }

    private static final int LEAST_ROWS = 16;

    private final OperationContext context;
    private final Kernel[][] kernels = new Kernel[GgmlType.values().length][];
    private final Kernel split;
    private final List<Parts> known = new ArrayList<>();
    private final Scratch passing;

    FastProducts(OperationContext context) {
        this.context = context;
        this.split = context.kernel("norm", "split_rows");
        this.passing = context.scratch("rows of products");
        Arrays.fill(kernels, NOT_LOADED);
    }

    boolean serves(GgmlType type, int columns) {
        return switch (type) {
            case Q4_K, Q5_K, Q6_K -> columns % UNIT == 0;
            case Q8_0 -> columns % 32 == 0;
            default -> false;
        };
    }

    private Kernel kernel(GgmlType type, int tile) {
        Kernel[] found = kernels[type.ordinal()];
        if (found.length == 0) {
            found = new Kernel[TILES.length + 1];
            found[TILES.length] = context.kernel(KernelModules.few(type), "fast_down");
            for (int i = 0; i < TILES.length; i++) {
                found[i] = context.kernel(KernelModules.few(type), "fast_" + TILES[i]);
            }
            kernels[type.ordinal()] = found;
        }
        return found[tile];
    }

    private static int tile(int rows) {
        int tile = 0;
        while (tile + 1 < TILES.length && TILES[tile] * ROWS < rows) {
            tile++;
        }
        return tile;
    }

    /**
     * Where whoever writes so many rows of floats is to write their parts too; 0 where nobody will
     * read them.
     */
    long made(long floats, int rows, int columns) {
        forget(floats);
        if (!context.step().rounded() || columns % GROUP != 0) {
            return 0;
        }
        Parts parts = parts(floats, columns);
        parts.rows = rows;
        return parts.address(rows);
    }

    /** The floats at an address are written, by something that does not write parts. */
    void forget(long floats) {
        for (int i = 0; i < known.size(); i++) {
            if (known.get(i).floats == floats) {
                known.get(i).rows = 0;
            }
        }
    }

    /** What was enqueued so far will not have happened in this order. */
    void forgetAll() {
        for (int i = 0; i < known.size(); i++) {
            known.get(i).rows = 0;
        }
    }

    private Parts parts(long floats, int columns) {
        for (int i = 0; i < known.size(); i++) {
            Parts each = known.get(i);
            if (each.floats == floats && each.columns == columns) {
                return each;
            }
        }
        Parts made = new Parts(floats, columns, context.scratch("rows of products"));
        known.add(made);
        return made;
    }

    /** In steps that are not recorded rows may be written by copies that nobody tells of: nothing is kept. */
    private long split(long floats, int rows, int columns) {
        if (!context.step().rounded()) {
            return split(floats, rows, columns, passing.bytes(bytes(rows, columns)));
        }
        Parts parts = parts(floats, columns);
        long address = parts.address(rows);
        if (parts.rows != rows) {
            parts.rows = rows;
            split(floats, rows, columns, address);
        }
        return address;
    }

    private long split(long floats, int rows, int columns, long target) {
        context.launch().of(split).i64(floats).i32(columns).i64(target).run(OperationContext.blocks(columns, THREADS), rows, THREADS);
        return target;
    }

    private static long bytes(int rows, int columns) {
        return (long) GROUP_BYTES * rows * OperationContext.blocks(columns, GROUP);
    }

    /**
     * {@code y_i = W_i x} for matrices of one type and width, or {@code silu(W x) . (V x)} for one matrix with a second; added to what is at y
     * with {@code sum}.
     *
     * @param count matrices of the array, at most {@value #MATRICES}
     * @param parts whether the results' parts are made too
     */
    void dense(Matrix[] w, int count, @Nullable Matrix v, long x, int rows, long[] y, boolean sum, boolean parts) {
        Matrix first = w[0];
        long input = split(x, rows, first.columns());
        int tile = tile(rows);
        int items = items(first.columns(), v != null);
        long output = parts && first.rows() % GROUP == 0 && shared(2 * items, tile) <= SHARED ? made(y[0], rows, first.rows()) : 0;
        int tiles = output == 0 ? 1 : 2;
        Launch launch = context.launch().of(kernel(first.type(), tile)).struct();
        for (int m = 0; m < MATRICES; m++) {
            launch.i64(m < count ? w[m].data().address() : 0);
        }
        for (int m = 0; m < MATRICES; m++) {
            launch.i64(m < count ? y[m] : 0);
        }
        for (int m = 0; m < MATRICES; m++) {
            launch.i32(m < count ? w[m].rows() : 0);
        }
        int blocks = 0;
        for (int m = 0; m < MATRICES; m++) {
            launch.i32(blocks);
            blocks += m < count ? OperationContext.blocks(w[m].rows(), OUTPUTS * tiles) : 0;
        }
        for (int m = 0; m < MATRICES; m++) {
            launch.f32(m < count ? w[m].scale() : 1);
        }
        launch.i32(count).i32(first.columns()).i64(v == null ? 0 : v.data().address() + 1).f32(v == null ? 1 : v.scale()).i32(rows);
        launch.i64(0).i64(0).i64(0).i64(0).i64(0).i64(0).i64(first.rowBytes()).i64(input).i32(rows).i32(1).i64(output).i32(rows).flag(sum)
                .i32(tiles).end();
        launch.run(blocks, OperationContext.blocks(rows, TILES[tile] * ROWS), 1, threads(items * tiles), shared(items * tiles, tile));
    }

    static int most() {
        return MATRICES;
    }

    /** Runs of units that are added up apart, of one tile of outputs. */
    private static int items(int columns, boolean second) {
        return Math.min(RUNS, OperationContext.blocks(columns, UNIT)) * (second ? 2 : 1);
    }

    private static int shared(int items, int tile) {
        return 4 * items * TILES[tile] * ROWS * OUTPUTS;
    }

    private static int threads(int items) {
        return 32 * Math.min(MOST_WARPS, items);
    }

    /** Whether {@link #down} can sum so many experts of so many columns. */
    static boolean combines(int columns, int choices) {
        int units = OperationContext.blocks(columns, UNIT);
        return units <= MOST_WARPS && units * choices <= MOST_ITEMS;
    }

    /** The last product of one row's experts and their weighted sum, see fast_down. */
    void down(ProductOps.First w, ProductOps.Groups groups, int choices, long x, long weights, long shared, long sharedGate, long input,
            boolean added, long y) {
        long parts = split(x, choices, w.columns());
        int items = choices * OperationContext.blocks(w.columns(), UNIT);
        int threads = Math.max(COMBINE_THREADS, 32 * Math.min(DOWN_WARPS, items));
        context.launch().of(kernel(w.type(), TILES.length)).struct().i64(w.at()).i64(w.type().rowBytes(w.columns())).i32(w.outputs())
                .i32(w.columns()).i32(choices).i64(groups.slots()).i64(groups.pairs()).i64(groups.expert()).i64(w.scales()).i64(parts)
                .i64(weights).i64(shared).i64(sharedGate).i64(input).i64(y).i32(w.outputs()).flag(added).end()
                .run(OperationContext.blocks(w.outputs(), OUTPUTS), 1, threads);
    }

    /**
     * The same for experts. Pair p reads row {@code p / xDivide} of x and writes row p of y.
     *
     * @param xRows rows of x
     * @param yRows rows of y, at least the largest pair and one
     */
    void grouped(ProductOps.First w, ProductOps.@Nullable Second v, ProductOps.Groups groups, int xDivide, long x, int xRows, int yRows,
            long y, boolean parts) {
        long input = split(x, xRows, w.columns());
        int tile = tile(groups.most());
        int items = items(w.columns(), v != null);
        long output = parts && w.outputs() % GROUP == 0 && shared(2 * items, tile) <= SHARED ? made(y, yRows, w.outputs()) : 0;
        int tiles = output == 0 ? 1 : 2;
        if (output == 0) {
            forget(y);
        }
        Launch launch = context.launch().of(kernel(w.type(), tile)).struct();
        launch.i64(w.at()).i64(0).i64(0).i64(0).i64(0);
        launch.i64(y).i64(0).i64(0).i64(0).i64(0);
        launch.i32(w.outputs()).i32(0).i32(0).i32(0).i32(0);
        launch.i32(0).i32(0).i32(0).i32(0).i32(0);
        launch.f32(w.scale()).f32(1).f32(1).f32(1).f32(1);
        launch.i32(1).i32(w.columns()).i64(v == null ? 0 : v.at() + 1).f32(v == null ? 1 : v.scale()).i32(0);
        launch.i64(groups.slots()).i64(groups.firstPair()).i64(groups.pairs()).i64(groups.expert()).i64(w.scales())
                .i64(v == null ? 0 : v.scales()).i64(w.type().rowBytes(w.columns())).i64(input).i32(xRows).i32(xDivide).i64(output)
                .i32(yRows)
                .i32(0).i32(tiles).end();
        launch.run(OperationContext.blocks(w.outputs(), OUTPUTS * tiles), OperationContext.blocks(groups.most(), TILES[tile] * ROWS),
                groups.groups(), threads(items * tiles), shared(items * tiles, tile));
    }

    @Override
    public void close() {
        Closing closing = new Closing();
        closing.run(passing::close);
        known.forEach(parts -> closing.run(parts.memory::close));
        closing.finish();
    }
}

package dev.ringside.gpu.host;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Matrix;

/** Products of a weight matrix with activation rows, shared over panels of weight rows and, where those are few, blocks of activation rows. */
final class MatmulOps implements AutoCloseable {

    /** Products worth handing to a thread: some 10 us of work for one row of activations. */
    static final int MIN_PRODUCTS = 131_072;
    private static final int MIN_BLOCK_ROWS = 16;

    private final WorkerPool pool;
    private final RowMultiplier multiplier;
    private final PackedRows packed;
    private final ParallelTask task = this::panels;

    private GgmlType type = GgmlType.F32;
    private long weights;
    private float scale;
    private long rowBytes;
    private int outputs;
    private int columns;
    private int rows;
    private int panelRows;
    private int panels;
    private int blockRows;
    private long[] x = new long[0];
    private long[] y = new long[0];

    MatmulOps(WorkerPool pool) {
        this.pool = pool;
        this.multiplier = new RowMultiplier(pool.threads());
        this.packed = new PackedRows(pool);
    }

    /** See {@link dev.ringside.gpu.Kernels#matmul}. */
    void matmul(Matrix w, DevicePtr input, int count, DevicePtr output) {
        input.require(4L * count * w.columns(), "Matmul input");
        output.require(4L * count * w.rows(), "Matmul output");
        matmul(w, input.address(), count, output.address());
    }

    /** {@code y[r][o] = w[o] . x[r]} on addresses whose ranges have been checked. */
    void matmul(Matrix w, long input, int count, long output) {
        if (count == 0 || w.rows() == 0) {
            return;
        }
        type = w.type();
        weights = w.data().address();
        scale = w.scale();
        rowBytes = w.rowBytes();
        outputs = w.rows();
        columns = w.columns();
        rows = count;
        reserveRows(count);
        for (int r = 0; r < count; r++) {
            x[r] = input + 4L * r * columns;
            y[r] = output + 4L * r * outputs;
        }
        multiplier.reserve(columns);
        split();
        if (rows > 1) {
            packed.begin(x, rows);
            packed.add(0, rows);
            packed.pack(columns);
        }
        int blocks = ceil(rows, blockRows);
        long products = (long) panelRows * columns * blockRows;
        pool.run(task, Math.multiplyExact(panels, blocks), grain(products));
    }

    /** Items worth one thread, of this many products each. */
    static int grain(long products) {
        return (int) Math.max(1, MIN_PRODUCTS / Math.max(1, products));
    }

    private void reserveRows(int count) {
        if (count > x.length) {
            x = new long[count];
            y = new long[count];
        }
    }

    /** Halves panels, then cuts activation rows into blocks, until each thread has something to do. */
    private void split() {
        int wanted = 2 * pool.threads();
        blockRows = rows;
        panelRows = WorkArea.panelRows(columns);
        panels = ceil(outputs, panelRows);
        while (panels < wanted && panelRows > WorkArea.MIN_ROWS) {
            panelRows = Math.max(WorkArea.MIN_ROWS, panelRows / 2 & -WorkArea.MIN_ROWS);
            panels = ceil(outputs, panelRows);
        }
        if (panels < wanted) {
            blockRows = Math.max(MIN_BLOCK_ROWS, ceil(rows, ceil(wanted, panels)) + 3 & ~3);
        }
    }

    private static int ceil(int count, int size) {
        return (count + size - 1) / size;
    }

    private void panels(int worker, int from, int to) {
        multiplier.begin(worker);
        LookAhead ahead = multiplier.area(worker).weights();
        for (int item = from; item < to; item++) {
            int output = (item % panels) * panelRows;
            int first = (item / panels) * blockRows;
            int count = Math.min(panelRows, outputs - output);
            int end = Math.min(rows, first + blockRows);
            ahead.toward(weights + output * rowBytes, weights + Math.min(outputs, output + (to - item) * panelRows) * rowBytes);
            multiplier.multiply(worker, type, weights + output * rowBytes, columns, count, x, y, output, first, end, packed,
                    first / Tiles.COLUMNS);
            NormKernel.scaleRows(y, first, end, output, count, scale);
        }
    }

    @Override
    public void close() {
        multiplier.close();
        packed.close();
    }
}

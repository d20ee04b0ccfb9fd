package dev.ringside.gpu.host;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepRows;

/** Gathers and decodes rows of tables. */
final class GatherOps implements AutoCloseable {

    private final WorkerPool pool;
    private final RowMultiplier areas;
    private final ParallelTask task = this::decodeRows;

    private GgmlType type = GgmlType.F32;
    private long table;
    private float scale;
    private long rowBytes;
    private int columns;
    private int copies;
    private long out;
    private long[] numbers = new long[0];

    GatherOps(WorkerPool pool) {
        this.pool = pool;
        this.areas = new RowMultiplier(pool.threads());
    }

    /** See {@link dev.ringside.gpu.Kernels#embed}. */
    void embed(StepRows rows, Matrix matrix, int copyCount, DevicePtr output) {
        reserve(rows.maxRows());
        for (int r = 0; r < rows.rows(); r++) {
            numbers[r] = checked(rows.token(r), matrix, "Token");
        }
        gather(matrix, rows.rows(), copyCount, output);
    }

    /** See {@link dev.ringside.gpu.Kernels#gatherRows}. */
    void gatherRows(Matrix matrix, PinnedBuffer rowNumbers, int count, DevicePtr output) {
        rowNumbers.device().require(8L * count, "Row numbers");
        reserve(count);
        for (int r = 0; r < count; r++) {
            numbers[r] = checked(HostMemory.getLong(rowNumbers.device().address() + 8L * r), matrix, "Row number");
        }
        gather(matrix, count, 1, output);
    }

    private void reserve(int count) {
        if (count > numbers.length) {
            numbers = new long[count];
        }
    }

    private static long checked(long number, Matrix matrix, String what) {
        if (number < 0 || number >= matrix.rows()) {
            throw new IndexOutOfBoundsException(what + " " + number + " is not in a table of " + matrix.rows() + " rows");
        }
        return number;
    }

    private void gather(Matrix matrix, int count, int copyCount, DevicePtr output) {
        output.require(4L * count * copyCount * matrix.columns(), "Gathered rows");
        type = matrix.type();
        table = matrix.data().address();
        scale = matrix.scale();
        rowBytes = matrix.rowBytes();
        columns = matrix.columns();
        copies = copyCount;
        out = output.address();
        areas.reserve(columns);
        pool.run(task, count, Math.max(1, 16_384 / Math.max(1, columns * copies)));
    }

    private void decodeRows(int worker, int from, int to) {
        long bytes = 4L * columns;
        for (int r = from; r < to; r++) {
            long target = out + bytes * copies * r;
            WeightRows.plain(type, table + numbers[r] * rowBytes, columns, target, areas.area(worker));
            if (scale != 1) {
                NormKernel.scale(target, scale, columns, target);
            }
            for (int c = 1; c < copies; c++) {
                HostMemory.copy(target, target + c * bytes, bytes);
            }
        }
    }

    @Override
    public void close() {
        areas.close();
    }
}

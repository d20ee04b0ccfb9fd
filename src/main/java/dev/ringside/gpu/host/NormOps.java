package dev.ringside.gpu.host;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.StepRows;

/** RMS norm, residual addition and the gather of rows whose logits are wanted. */
final class NormOps {

    /** Elements worth handing to a thread: some 2 us of work. */
    static final int MIN_ELEMENTS = 16_384;
    private static final int CHUNK = 4096;

    private final WorkerPool pool;
    private final ParallelTask normTask = this::normRuns;
    private final ParallelTask addTask = this::addChunks;

    private long x;
    private long y;
    private long out;
    private int groups;
    private int width;
    private float epsilon;
    private long elements;

    NormOps(WorkerPool pool) {
        this.pool = pool;
    }

    /** See {@link dev.ringside.gpu.Kernels#rmsNorm}. */
    void rmsNorm(DevicePtr input, DevicePtr weight, int rows, int groupCount, int groupWidth, float eps, DevicePtr output) {
        long bytes = 4L * rows * groupCount * groupWidth;
        input.require(bytes, "RMS norm input");
        weight.require(4L * groupCount * groupWidth, "RMS norm weight");
        output.require(bytes, "RMS norm output");
        x = input.address();
        y = weight.address();
        out = output.address();
        groups = groupCount;
        width = groupWidth;
        epsilon = eps;
        pool.run(normTask, Math.multiplyExact(rows, groupCount), grain(groupWidth));
    }

    private void normRuns(int worker, int from, int to) {
        for (int run = from; run < to; run++) {
            long offset = 4L * run * width;
            NormKernel.rmsNorm(x + offset, y + 4L * (run % groups) * width, width, epsilon, out + offset);
        }
    }

    /** See {@link dev.ringside.gpu.Kernels#add}. */
    void add(DevicePtr sum, DevicePtr term, long count) {
        sum.require(4 * count, "Sum");
        term.require(4 * count, "Term");
        x = sum.address();
        y = term.address();
        elements = count;
        pool.run(addTask, Math.toIntExact((count + CHUNK - 1) / CHUNK), grain(CHUNK));
    }

    private void addChunks(int worker, int from, int to) {
        long first = (long) from * CHUNK;
        int count = (int) (Math.min(elements, (long) to * CHUNK) - first);
        NormKernel.add(y + 4 * first, 1f, count, x + 4 * first);
    }

    /** See {@link dev.ringside.gpu.Kernels#gatherLogitRows}. */
    void gatherLogitRows(StepRows rows, DevicePtr input, int rowWidth, DevicePtr output) {
        long bytes = 4L * rowWidth;
        input.require(rows.rows() * bytes, "Rows to gather from");
        output.require(rows.logitRows() * bytes, "Gathered rows");
        for (int i = 0; i < rows.logitRows(); i++) {
            HostMemory.copy(input.address() + rows.logitRow(i) * bytes, output.address() + i * bytes, bytes);
        }
    }

    /** How many runs of {@code width} elements are worth handing to a thread. */
    static int grain(int width) {
        return Math.max(1, MIN_ELEMENTS / Math.max(1, width));
    }
}

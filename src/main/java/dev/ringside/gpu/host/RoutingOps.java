package dev.ringside.gpu.host;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.RoutingTable;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import org.jspecify.annotations.Nullable;

/** The router and the weighted sum of what experts gave. */
final class RoutingOps implements AutoCloseable {

    private final WorkerPool pool;
    private final MatmulOps matmul;
    private final Scratch scratch = new Scratch();
    private final ParallelTask chooseTask = this::chooseRows;
    private final ParallelTask combineTask = this::combineRows;

    private int choices;
    private int experts;
    private float scale;
    private long logits;
    private long ids;
    private long weights;
    private int width;
    private long y;
    private long x;
    private long shared;
    private long sharedGate;
    private long out;

    RoutingOps(WorkerPool pool, MatmulOps matmul) {
        this.pool = pool;
        this.matmul = matmul;
    }

    /** See {@link dev.ringside.gpu.Kernels#route}. */
    void route(Matrix router, DevicePtr input, int rows, float factor, RoutingTable table) {
        choices = table.choices();
        experts = router.rows();
        if (choices < 1 || choices > experts) {
            throw new IllegalArgumentException("Cannot choose " + choices + " of " + experts + " experts");
        }
        input.require(4L * rows * router.columns(), "Router input");
        bind(table, rows);
        scale = factor;
        logits = scratch.floats((long) rows * experts);
        matmul.matmul(router, input.address(), rows, logits);
        pool.run(chooseTask, rows, Math.max(1, 8192 / experts));
    }

    private void bind(RoutingTable table, int rows) {
        table.experts().require(4L * rows * table.choices(), "Expert ids");
        table.weights().require(4L * rows * table.choices(), "Expert weights");
        ids = table.experts().address();
        weights = table.weights().address();
    }

    private void chooseRows(int worker, int from, int to) {
        for (int row = from; row < to; row++) {
            long chosen = ids + 4L * row * choices;
            long weight = weights + 4L * row * choices;
            boolean valid = choose(logits + 4L * row * experts, chosen, weight);
            softmax(weight, valid);
        }
    }

    /** Keeps the best in order, a later expert only where it is better; false when there is a NaN, which is nowhere in an order. */
    private boolean choose(long row, long chosen, long weight) {
        int kept = 0;
        boolean valid = true;
        float least = 0;
        for (int expert = 0; expert < experts; expert++) {
            float logit = HostMemory.getFloat(row + 4L * expert);
            valid &= !Float.isNaN(logit);
            if (kept == choices && !(logit > least)) {
                continue;
            }
            int at = kept < choices ? kept++ : choices - 1;
            while (at > 0 && logit > HostMemory.getFloat(weight + 4L * (at - 1))) {
                HostMemory.setFloat(weight + 4L * at, HostMemory.getFloat(weight + 4L * (at - 1)));
                HostMemory.setInt(chosen + 4L * at, HostMemory.getInt(chosen + 4L * (at - 1)));
                at--;
            }
            HostMemory.setFloat(weight + 4L * at, logit);
            HostMemory.setInt(chosen + 4L * at, expert);
            least = HostMemory.getFloat(weight + 4L * (kept - 1));
        }
        return valid;
    }

    /** A row with a NaN gets NaN weights, so that its request fails instead of going on without the experts concerned. */
    private void softmax(long weight, boolean valid) {
        float greatest = valid ? HostMemory.getFloat(weight) : Float.NaN;
        float sum = 0;
        for (int j = 0; j < choices; j++) {
            float e = VectorMath.exp(HostMemory.getFloat(weight + 4L * j) - greatest);
            HostMemory.setFloat(weight + 4L * j, e);
            sum += e;
        }
        for (int j = 0; j < choices; j++) {
            HostMemory.setFloat(weight + 4L * j, HostMemory.getFloat(weight + 4L * j) / sum * scale);
        }
    }

    /** See {@link dev.ringside.gpu.Kernels#combineExperts}. */
    void combine(DevicePtr results, RoutingTable table, int rows, int columns, @Nullable DevicePtr sharedResult, @Nullable DevicePtr gate,
            DevicePtr input, DevicePtr output) {
        choices = table.choices();
        width = columns;
        results.require(4L * rows * choices * width, "Results of the experts");
        output.require(4L * rows * width, "Combined output");
        bind(table, rows);
        y = results.address();
        out = output.address();
        x = input.address();
        shared = 0;
        sharedGate = 0;
        if (sharedResult != null) {
            sharedResult.require(4L * rows * width, "Result of the shared expert");
            shared = sharedResult.address();
            if (gate != null) {
                gate.require(4L * width, "Gate of the shared expert");
                input.require(4L * rows * width, "Input of the shared expert's gate");
                sharedGate = gate.address();
            }
        }
        pool.run(combineTask, rows, Math.max(1, 16_384 / Math.max(1, width * choices)));
    }

    private void combineRows(int worker, int from, int to) {
        for (int row = from; row < to; row++) {
            long offset = 4L * row * width;
            float share = sharedGate == 0 ? 1f : VectorMath.sigmoid(DotKernels.dot(sharedGate, x + offset, width));
            for (int i = 0; i < width; i += Vectors.LANES) {
                VectorMask<Float> mask = Vectors.first(width - i);
                FloatVector sum = Vectors.zero();
                for (int j = 0; j < choices; j++) {
                    long pair = (long) row * choices + j;
                    sum = Vectors.load(y + 4L * (pair * width + i), mask).fma(Vectors.broadcast(HostMemory.getFloat(weights + 4L * pair)),
                            sum);
                }
                if (shared != 0) {
                    sum = Vectors.load(shared + offset + 4L * i, mask).fma(Vectors.broadcast(share), sum);
                }
                Vectors.store(sum, out + offset + 4L * i, mask);
            }
        }
    }

    @Override
    public void close() {
        scratch.close();
    }
}

package dev.ringside.gpu.cuda;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.RoutingTable;
import org.jspecify.annotations.Nullable;

/** The router and the weighted sum of what experts gave. */
final class RoutingOps implements AutoCloseable {

    private static final int THREADS = 256;
    /** Shared memory that every device gives a block. */
    private static final int SHARED = 48 << 10;

    private final OperationContext context;
    private final ProductOps products;
    private final Scratch logits;
    private final Kernel route;
    private final Kernel combine;

    RoutingOps(OperationContext context, ProductOps products) {
        this.context = context;
        this.products = products;
        this.logits = context.scratch("router logits");
        this.route = context.kernel("routing", "route");
        this.combine = context.kernel("routing", "combine");
    }

    /** See {@link dev.ringside.gpu.Kernels#route}. */
    void route(Matrix router, DevicePtr input, int rows, float scale, RoutingTable table) {
        int choices = table.choices();
        int experts = router.rows();
        if (choices < 1 || choices > experts) {
            throw new IllegalArgumentException("Cannot choose " + choices + " of " + experts + " experts");
        }
        int shared = 4 * (experts + choices);
        if (shared > SHARED) {
            throw new IllegalArgumentException(
                    "The CUDA backend routes among at most " + (SHARED / 4 - choices) + " experts, got " + experts);
        }
        input.require(4L * rows * router.columns(), "Router input");
        OperationContext.requireAligned(input, "Router input");
        require(table, rows);
        if (rows == 0) {
            return;
        }
        long scores = logits.floats((long) rows * experts);
        products.dense(router, null, input.address(), rows, scores);
        context.launch().of(route).i64(scores).i32(experts).i32(choices).f32(scale).i64(table.experts().address())
                .i64(table.weights().address())
                .run(rows, 1, 1, 32, shared);
    }

    private static void require(RoutingTable table, int rows) {
        table.experts().require(4L * rows * table.choices(), "Expert ids");
        table.weights().require(4L * rows * table.choices(), "Expert weights");
    }

    /** See {@link dev.ringside.gpu.Kernels#combineExperts}. */
    void combine(DevicePtr results, RoutingTable table, int rows, int width, @Nullable DevicePtr shared, @Nullable DevicePtr gate,
            DevicePtr input, DevicePtr output) {
        require(table, rows);
        combine(results, table.weights(), table.choices(), rows, width, shared, gate, input, false, output);
    }

    /** The same with weights wherever they are. */
    void combine(DevicePtr results, DevicePtr weights, int choices, int rows, int width, @Nullable DevicePtr shared,
            @Nullable DevicePtr gate, DevicePtr input, boolean added, DevicePtr output) {
        results.require(4L * rows * choices * width, "Results of the experts");
        output.require(4L * rows * width, "Combined output");
        weights.require(4L * rows * choices, "Expert weights");
        if (shared != null) {
            shared.require(4L * rows * width, "Result of the shared expert");
            if (gate != null) {
                gate.require(4L * width, "Gate of the shared expert");
                input.require(4L * rows * width, "Input of the shared expert's gate");
            }
        }
        if (rows == 0) {
            return;
        }
        context.launch().of(combine).i64(results.address()).i64(weights.address()).i32(choices).i32(width)
                .i64(shared == null ? 0 : shared.address()).i64(gate == null ? 0 : gate.address()).i64(input.address())
                .i64(output.address()).flag(added)
                .run(OperationContext.blocks(width, THREADS), rows, 1, THREADS, 4 * choices);
    }

    @Override
    public void close() {
        logits.close();
    }
}

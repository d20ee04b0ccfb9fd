package dev.ringside.gpu.cuda;

import dev.ringside.gguf.GgmlType;
import dev.ringside.gpu.Closing;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.ExpertShape;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.Recording;
import dev.ringside.gpu.ResidentKernels;
import dev.ringside.gpu.ResidentRouting;
import dev.ringside.gpu.RowNorm;
import dev.ringside.gpu.SharedExpert;
import dev.ringside.gpu.StepRows;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Recorded steps of few rows, see {@link ResidentKernels}: graphs of the driver, the mark in the step's tables, the router that sets it. */
final class ResidentOps implements ResidentKernels, AutoCloseable {

    private static final int MAX_ROWS = 16;
    private static final int THREADS = 256;
    private static final int ATTEMPTS = 3;
    /** As in resident.cu. */
    private static final int ROUTER_WARPS = 8;
    /** Shared memory that every device gives a block. */
    private static final int SHARED = 48 << 10;

    private final OperationContext context;
    private final Driver.Stream stream;
    private final ProductOps products;
    private final FeedForwardOps feedForward;
    private final RoutingOps routing;
    private final NormOps norms;
    private final Scratch logits;
    private final Scratch ticket;
    private final PinnedBuffer stopped;
    private final Kernel route;
    private final Kernel place;
    private final Set<Graph> graphs = ConcurrentHashMap.newKeySet();

    ResidentOps(OperationContext context, Driver.Stream stream, ProductOps products, FeedForwardOps feedForward, RoutingOps routing,
            NormOps norms) {
        this.context = context;
        this.stream = stream;
        this.products = products;
        this.feedForward = feedForward;
        this.routing = routing;
        this.norms = norms;
        this.logits = context.scratch("router logits");
        this.ticket = context.scratch("router blocks that have ended");
        this.stopped = context.backend().allocatePinned(4, "mark of a stopped step");
        this.route = context.kernel("resident", "route_resident");
        this.place = context.kernel("resident", "place_slots");
    }

    private final class Graph implements Recording {

        private final Driver.Graph handle;
        private final long moved;
        private boolean closed;

        /** @param moved what had moved when recording began */
        Graph(Driver.Graph handle, long moved) {
            this.handle = handle;
            this.moved = moved;
        }

        @Override
        public boolean usable() {
            return moved == context.moved().times();
        }

        @Override
        public void launch() {
            // What it writes is not known here.
            products.fast().forgetAll();
            context.backend().cuda().launch(handle, stream);
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                graphs.remove(this);
                context.backend().cuda().destroy(handle);
            }
        }
    }

    @Override
    public int maxRows() {
        return MAX_ROWS;
    }

    @Override
    public void begin(StepRows rows) {
        stopped.memory().set(ValueLayout.JAVA_INT, 0, 0);
        context.step().upload(rows, true);
        context.launch().stoppedBy(context.step().mark());
        products.fast().forgetAll();
    }

    @Override
    public long shape() {
        StepRows rows = context.rows();
        long positions = 63 - Long.numberOfLeadingZeros(context.step().positions(rows.rows()));
        return rows.rows() | (long) rows.segments() << 8 | (long) rows.logitRows() << 16 | positions << 24;
    }

    @Override
    public Recording record(Runnable operations) {
        products.fast().forgetAll();
        // With the mark set nothing is done, but kernels are loaded and memory is taken, which a recording could not do.
        mark(1);
        operations.run();
        mark(0);
        for (int attempt = 1;; attempt++) {
            long moved = context.moved().times();
            Graph made = new Graph(capture(operations), moved);
            if (made.usable() || attempt == ATTEMPTS) {
                graphs.add(made);
                products.fast().forgetAll();
                return made;
            }
            context.backend().cuda().destroy(made.handle);
        }
    }

    private Driver.Graph capture(Runnable operations) {
        Cuda cuda = context.backend().cuda();
        products.fast().forgetAll();
        cuda.beginCapture(stream);
        try {
            operations.run();
        } catch (RuntimeException | Error e) {
            try {
                cuda.destroy(cuda.endCapture(stream));
            } catch (RuntimeException further) {
                e.addSuppressed(further);
            }
            throw e;
        }
        return cuda.endCapture(stream);
    }

    private void mark(int value) {
        MemorySegment word = context.uploads().reserve(4);
        word.set(ValueLayout.JAVA_INT, 0, value);
        context.uploads().send(word, context.step().mark());
    }

    @Override
    public void resume() {
        stopped.memory().set(ValueLayout.JAVA_INT, 0, 0);
        mark(0);
    }

    @Override
    public int stoppedAt() {
        return stopped.memory().get(ValueLayout.JAVA_INT, 0) - 1;
    }

    @Override
    public void place(ResidentRouting table, int[] cells, long[] addresses, int count) {
        if (count == 0) {
            return;
        }
        MemorySegment where = context.uploads().reserve(4L * count);
        MemorySegment.copy(cells, 0, where, ValueLayout.JAVA_INT, 0, count);
        MemorySegment what = context.uploads().reserve(8L * count);
        MemorySegment.copy(addresses, 0, what, ValueLayout.JAVA_LONG, 0, count);
        context.launch().of(place).i64(context.uploads().device(where)).i64(context.uploads().device(what)).i32(count)
                .i64(table.slots().address()).run(OperationContext.blocks(count, THREADS), 1, THREADS);
    }

    @Override
    public void route(@Nullable RowNorm norm, Matrix router, DevicePtr input, int rows, float scale,
            @Nullable SharedExpert extra, ResidentRouting table, int layer) {
        int experts = router.rows();
        int choices = table.choices();
        if (experts > table.experts() || rows > table.rows() || rows > MAX_ROWS || layer >= table.layers() || choices > experts) {
            throw new IllegalArgumentException("Layer " + layer + " with " + experts + " experts and " + rows
                    + " rows does not fit tables of " + table.layers() + " layers, " + table.experts() + " experts and " + table.rows()
                    + " rows");
        }
        input.require(4L * rows * router.columns(), "Router input");
        OperationContext.requireAligned(input, "Router input");
        long scores = logits.floats((long) MAX_ROWS * experts);
        int columns = router.columns();
        int row = 4 * (columns + columns / 16 * 4 + 4);
        boolean floats = router.type() == GgmlType.F32 && router.scale() == 1 && row <= SHARED;
        @Nullable RowNorm folded = floats ? norm : null;
        long parts = 0;
        if (folded != null) {
            folded.x().require(4L * rows * columns, "RMS norm input");
            folded.weight().require(4L * columns, "RMS norm weight");
            parts = products.fast().made(input.address(), rows, columns);
        } else if (norm != null) {
            norms.rmsNorm(norm.x(), norm.weight(), rows, 1, columns, norm.epsilon(), input);
        }
        if (!floats) {
            products.dense(router, null, input.address(), rows, scores);
        }
        int shared = 4 * (2 * Math.min(rows, ROUTER_WARPS) * experts + 3 * rows * (choices + 1));
        if (shared > SHARED) {
            throw new IllegalArgumentException("The CUDA backend routes " + rows + " rows of a step among at most "
                    + (SHARED / 4 - 3 * rows * (choices + 1)) / (2 * Math.min(rows, ROUTER_WARPS)) + " experts, got " + experts);
        }
        long log = table.log().address() + layer * table.logBytes();
        context.launch().of(route).i64(context.step().mark()).struct().i64(floats ? router.data().address() : 0)
                .i64(folded == null ? input.address() : folded.x().address()).i64(scores).i64(ticket.floats(1))
                .i64(folded == null ? 0 : folded.weight().address()).i64(input.address()).i64(parts).i32(rows).i32(columns).i32(experts)
                .i32(choices)
                .f32(scale).f32(folded == null ? 0 : folded.epsilon()).i64(extra == null ? 0 : extra.slot().address())
                .i64(extra == null || extra.gate() == null ? 0 : extra.gate().address()).end()
                .i64(table.slotsOf(layer).address()).i32(layer).struct().i64(table.weights().address()).i64(table.groupSlots().address())
                .i64(table.groupExperts().address()).i64(table.firstPairs().address()).i64(table.groupPairs().address())
                .i64(log).i64(log + table.logBytes() / 2).end().i64(stopped.device().address())
                .run(floats ? OperationContext.blocks(experts, ROUTER_WARPS) : 1, 1, 1, 32 * ROUTER_WARPS,
                        floats ? Math.max(row, shared) : shared);
    }

    @Override
    public boolean takesShared(ExpertShape shape) {
        return feedForward.agrees(shape);
    }

    @Override
    public void readLog(ResidentRouting table, int firstLayer, int layers) {
        long offset = firstLayer * table.logBytes();
        context.backend().cuda().copyToHost(table.log().address() + offset, table.hostLog().memory().address() + offset,
                layers * table.logBytes(), stream);
    }

    @Override
    public void experts(ExpertShape shape, DevicePtr x, int rows, int all, ResidentRouting table, DevicePtr scratch,
            @Nullable DevicePtr shared,
            @Nullable DevicePtr sharedGate, boolean added, DevicePtr out) {
        int pairs = rows * all;
        ProductOps.Groups groups = new ProductOps.Groups(pairs, rows, table.groupSlots().address(), table.firstPairs().address(),
                table.groupExperts().address(), table.groupPairs().address(), false);
        if (rows == 1 && feedForward.combines(shape, all)) {
            feedForward.experts(shape, x, groups, all, table.weights(), shared, sharedGate, added, out);
        } else {
            feedForward.experts(shape, x, groups, all, pairs, scratch);
            routing.combine(scratch, table.weights(), all, rows, shape.hidden(), shared, sharedGate, x, added, out);
        }
        products.fast().forget(out.address());
    }

    @Override
    public void close() {
        Closing closing = new Closing();
        for (Graph graph : graphs) {
            closing.run(graph::close);
        }
        closing.run(logits::close);
        closing.run(ticket::close);
        closing.run(() -> context.backend().freePinned(stopped));
        closing.finish();
    }
}

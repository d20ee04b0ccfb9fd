package dev.ringside.gpu.cuda;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.HyperConnection;
import org.jspecify.annotations.Nullable;

/** RMS norm, residual addition, the gather of rows whose logits are wanted, and hyper-connections. */
final class NormOps implements AutoCloseable {

    private static final int THREADS = 256;
    /** As in common.cuh. */
    private static final int NORM_THREADS = 256;

    private final OperationContext context;
    private final ProductOps products;
    private final Scratch normed;
    private final Scratch low;
    private final Scratch gates;
    private final Kernel norm;
    private final Kernel add;
    private final Kernel gatherLogitRows;
    private final Kernel activate;
    private final Kernel mix;
    private final Kernel addStreams;

    NormOps(OperationContext context, ProductOps products) {
        this.context = context;
        this.products = products;
        this.normed = context.scratch("hyper-connection activations");
        this.low = context.scratch("hyper-connection activations");
        this.gates = context.scratch("hyper-connection activations");
        this.norm = context.kernel("norm", "rms_norm");
        this.add = context.kernel("norm", "add");
        this.gatherLogitRows = context.kernel("norm", "gather_logit_rows");
        this.activate = context.kernel("norm", "hyper_activate");
        this.mix = context.kernel("norm", "hyper_mix");
        this.addStreams = context.kernel("norm", "hyper_add");
    }

    /** See {@link dev.ringside.gpu.Kernels#rmsNorm}. */
    void rmsNorm(DevicePtr x, DevicePtr weight, int rows, int groups, int width, float epsilon, DevicePtr out) {
        long bytes = 4L * rows * groups * width;
        x.require(bytes, "RMS norm input");
        weight.require(4L * groups * width, "RMS norm weight");
        out.require(bytes, "RMS norm output");
        long parts = groups == 1 ? products.fast().made(out.address(), rows, width) : 0;
        norm(x.address(), weight.address(), rows, groups, width, epsilon, out.address(), parts);
    }

    private void norm(long x, long weight, int rows, int groups, int width, float epsilon, long out, long parts) {
        int runs = Math.multiplyExact(rows, groups);
        if (runs > 0) {
            context.launch().of(norm).i64(x).i64(weight).i32(groups).i32(width).f32(epsilon).i64(out).i64(parts).i32(rows).run(runs, 1,
                    NORM_THREADS);
        }
    }

    /** See {@link dev.ringside.gpu.Kernels#add}. */
    void add(DevicePtr x, DevicePtr y, long elements) {
        x.require(4 * elements, "Sum");
        y.require(4 * elements, "Term");
        if (elements > 0) {
            context.launch().of(add).i64(x.address()).i64(y.address()).i64(elements)
                    .run((int) Math.min(65_535, (elements + THREADS - 1) / THREADS), 1, THREADS);
        }
    }

    /** See {@link dev.ringside.gpu.Kernels#gatherLogitRows}. */
    void gatherLogitRows(DevicePtr x, int width, DevicePtr out) {
        int count = context.rows().logitRows();
        x.require(4L * context.rows().rows() * width, "Rows");
        out.require(4L * count * width, "Gathered rows");
        products.fast().forget(out.address());
        if (count > 0) {
            context.launch().of(gatherLogitRows).i64(context.step().address()).i64(x.address()).i32(width).i64(out.address()).run(count, 1,
                    THREADS);
        }
    }

    /** See {@link dev.ringside.gpu.Kernels#hyperConnectionMix}. */
    void mix(HyperConnection mixer, DevicePtr streams, int rows, DevicePtr out, @Nullable DevicePtr inject) {
        int count = mixer.count();
        int width = mixer.width();
        int rank = mixer.down().rows();
        int flat = count * width;
        require(mixer, flat);
        streams.require(4L * rows * flat, "Residual streams");
        out.require(4L * rows * width, "Mixed stream");
        products.fast().forget(out.address());
        long injectAddress = 0;
        if (inject != null) {
            if (mixer.inject() == null) {
                throw new IllegalArgumentException("This hyper-connection mixer has no inject projection; pass null for inject");
            }
            inject.require(4L * rows * count, "Inject weights");
            injectAddress = inject.address();
        }
        if (rows == 0) {
            return;
        }
        long n = normed.floats((long) rows * flat);
        long l = low.floats((long) rows * rank);
        long g = gates.floats((long) rows * flat);
        norm(streams.address(), mixer.norm().address(), rows, count, width, mixer.epsilon(), n, 0);
        products.fast().forget(n);
        products.fast().forget(l);
        products.dense(mixer.down(), null, n, rows, l);
        if (mixer.inject() != null && injectAddress != 0) {
            products.dense(mixer.inject(), null, n, rows, injectAddress);
        }
        context.launch().of(activate).i64(l).i32(rank).i64(injectAddress).i32(count).run(rows, 1, OperationContext.threads(rank, THREADS));
        products.dense(mixer.up(), null, l, rows, g);
        context.launch().of(mix).i64(g).i64(n).i32(count).i32(width).i64(out.address()).run(OperationContext.blocks(width, THREADS), rows,
                THREADS);
    }

    private static void require(HyperConnection mixer, int flat) {
        mixer.norm().require(4L * flat, "Hyper-connection norm");
        if (mixer.down().columns() != flat || mixer.up().rows() != flat || mixer.up().columns() != mixer.down().rows()) {
            throw new IllegalArgumentException("Hyper-connection of " + mixer.count() + " streams of " + mixer.width() + ": down is "
                    + mixer.down().rows() + " x " + mixer.down().columns() + ", up is " + mixer.up().rows() + " x " + mixer.up().columns());
        }
    }

    /** See {@link dev.ringside.gpu.Kernels#hyperConnectionAdd}. */
    void addStreams(DevicePtr streams, DevicePtr delta, DevicePtr inject, int rows, int count, int width) {
        streams.require(4L * rows * count * width, "Residual streams");
        delta.require(4L * rows * width, "Delta");
        inject.require(4L * rows * count, "Inject weights");
        if (rows > 0) {
            context.launch().of(addStreams).i64(streams.address()).i64(delta.address()).i64(inject.address()).i32(count).i32(width)
                    .run(OperationContext.blocks(width, THREADS), rows, THREADS);
        }
    }

    @Override
    public void close() {
        normed.close();
        low.close();
        gates.close();
    }
}

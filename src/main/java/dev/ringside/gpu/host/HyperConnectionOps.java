package dev.ringside.gpu.host;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.HyperConnection;
import org.jspecify.annotations.Nullable;

/**
 * Gated mixing of residual streams (qwen4exp). A token passes two mixers per layer, so one row costs two matrix products and no further
 * barrier: what lies between them runs on the caller until there are rows enough to share.
 */
final class HyperConnectionOps implements AutoCloseable {

    private static final int CHUNK = 256;

    private final WorkerPool pool;
    private final MatmulOps matmul;
    private final Scratch scratch = new Scratch();
    private final ParallelTask normTask = this::normStreams;
    private final ParallelTask activateTask = this::activateRows;
    private final ParallelTask mixTask = this::mixChunks;
    private final ParallelTask addTask = this::addRuns;

    private int count;
    private int width;
    private int rank;
    private float epsilon;
    private long norm;
    private long streams;
    private long normed;
    private long low;
    private long gates;
    private long inject;
    private long mixed;
    private long delta;

    HyperConnectionOps(WorkerPool pool, MatmulOps matmul) {
        this.pool = pool;
        this.matmul = matmul;
    }

    /** See {@link dev.ringside.gpu.Kernels#hyperConnectionMix}. */
    void mix(HyperConnection mixer, DevicePtr input, int rows, DevicePtr output, @Nullable DevicePtr injectOut) {
        count = mixer.count();
        width = mixer.width();
        rank = mixer.down().rows();
        epsilon = mixer.epsilon();
        int flat = count * width;
        require(mixer, flat);
        input.require(4L * rows * flat, "Residual streams");
        output.require(4L * rows * width, "Mixed stream");
        norm = mixer.norm().address();
        streams = input.address();
        mixed = output.address();
        normed = scratch.floats((long) rows * (2L * flat + rank));
        gates = normed + 4L * rows * flat;
        low = gates + 4L * rows * flat;
        pool.run(normTask, Math.multiplyExact(rows, count), NormOps.grain(width));
        matmul.matmul(mixer.down(), normed, rows, low);
        inject = 0;
        if (injectOut != null) {
            if (mixer.inject() == null) {
                throw new IllegalArgumentException("This hyper-connection mixer has no inject projection; pass null for inject");
            }
            injectOut.require(4L * rows * count, "Inject weights");
            inject = injectOut.address();
            matmul.matmul(mixer.inject(), normed, rows, inject);
        }
        pool.run(activateTask, rows, NormOps.grain(4 * rank));
        matmul.matmul(mixer.up(), low, rows, gates);
        pool.run(mixTask, Math.multiplyExact(rows, chunks()), NormOps.grain(4 * CHUNK * count));
    }

    private static void require(HyperConnection mixer, int flat) {
        mixer.norm().require(4L * flat, "Hyper-connection norm");
        if (mixer.down().columns() != flat || mixer.up().rows() != flat || mixer.up().columns() != mixer.down().rows()) {
            throw new IllegalArgumentException("Hyper-connection of " + mixer.count() + " streams of " + mixer.width() + ": down is "
                    + mixer.down().rows() + " x " + mixer.down().columns() + ", up is " + mixer.up().rows() + " x " + mixer.up().columns());
        }
    }

    private int chunks() {
        return (width + CHUNK - 1) / CHUNK;
    }

    private void normStreams(int worker, int from, int to) {
        for (int run = from; run < to; run++) {
            long offset = 4L * run * width;
            NormKernel.rmsNorm(streams + offset, norm + 4L * (run % count) * width, width, epsilon, normed + offset);
        }
    }

    private void activateRows(int worker, int from, int to) {
        float share = 1f / count;
        for (int row = from; row < to; row++) {
            long x = low + 4L * row * rank;
            Activations.silu(x, share, rank, x);
            if (inject != 0) {
                for (int c = 0; c < count; c++) {
                    long at = inject + 4L * ((long) row * count + c);
                    HostMemory.setFloat(at, 2f * VectorMath.sigmoid(HostMemory.getFloat(at) * share));
                }
            }
        }
    }

    private void mixChunks(int worker, int from, int to) {
        int chunks = chunks();
        for (int item = from; item < to; item++) {
            int row = item / chunks;
            int first = (item % chunks) * CHUNK;
            int size = Math.min(CHUNK, width - first);
            long out = mixed + 4L * ((long) row * width + first);
            NormKernel.zero(out, size);
            for (int c = 0; c < count; c++) {
                long offset = 4L * (((long) row * count + c) * width + first);
                Activations.sigmoid(gates + offset, 1f, size, gates + offset);
                NormKernel.addProduct(gates + offset, normed + offset, size, out);
            }
            NormKernel.scale(out, 1f / count, size, out);
        }
    }

    /** See {@link dev.ringside.gpu.Kernels#hyperConnectionAdd}. */
    void add(DevicePtr target, DevicePtr addend, DevicePtr weights, int rows, int streamCount, int streamWidth) {
        target.require(4L * rows * streamCount * streamWidth, "Residual streams");
        addend.require(4L * rows * streamWidth, "Delta");
        weights.require(4L * rows * streamCount, "Inject weights");
        streams = target.address();
        delta = addend.address();
        inject = weights.address();
        count = streamCount;
        width = streamWidth;
        pool.run(addTask, Math.multiplyExact(rows, streamCount), NormOps.grain(streamWidth));
    }

    private void addRuns(int worker, int from, int to) {
        for (int run = from; run < to; run++) {
            NormKernel.add(delta + 4L * (run / count) * width, HostMemory.getFloat(inject + 4L * run), width, streams + 4L * run * width);
        }
    }

    @Override
    public void close() {
        scratch.close();
    }
}

package dev.ringside.gpu.host;

import dev.ringside.gpu.DeltaNetShape;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.StepRows;

/**
 * Gated DeltaNet, row by row. First every head's channels are convolved and normed, then every value head runs through its segment's rows
 * with a few columns of its state at a time, which stay in the first-level cache.
 */
@SuppressWarnings("NullAway.Init") // arguments of the call in progress
final class DeltaNetOps implements AutoCloseable {

    private static final float L2_EPSILON = 1e-6f;

    private final WorkerPool pool;
    private final CausalConvolution convolution = new CausalConvolution();
    private final Scratch scratch = new Scratch();
    private final ParallelTask convolveTask = this::convolve;
    private final ParallelTask recurTask = this::recur;

    private StepRows rows;
    private DeltaNetShape shape;
    private long gate;
    private long alpha;
    private long beta;
    private long out;
    private long convolved;
    private long decays;
    private long rates;
    private long workerScratch;
    private long workerBytes;

    DeltaNetOps(WorkerPool pool) {
        this.pool = pool;
    }

    /** See {@link dev.ringside.gpu.Kernels#deltaNet}. */
    void deltaNet(StepRows stepRows, DeltaNetShape net, DevicePtr qkv, DevicePtr gates, DevicePtr alphas, DevicePtr betas,
            DevicePtr output) {
        int count = stepRows.rows();
        require(net, count, qkv, gates, alphas, betas, output);
        rows = stepRows;
        shape = net;
        gate = gates.address();
        alpha = alphas.address();
        beta = betas.address();
        out = output.address();
        long perWorker = (long) net.kernel() * Math.max(net.keySize(), net.valueSize());
        convolved = scratch.floats((long) count * (net.channels() + 2L * net.valueHeads()) + perWorker * pool.threads());
        decays = convolved + 4L * count * net.channels();
        rates = decays + 4L * count * net.valueHeads();
        workerScratch = rates + 4L * count * net.valueHeads();
        workerBytes = 4 * perWorker;
        convolution.begin(stepRows, qkv.address(), net.channels(), net.kernel(), 1, net.convolution().address(), net.historyOffset());
        int segments = stepRows.segments();
        pool.run(convolveTask, segments * heads(), NormOps.grain(4 * net.keySize() * Math.max(1, count / Math.max(1, segments))));
        pool.run(recurTask, segments * net.valueHeads(), 1);
    }

    private static void require(DeltaNetShape net, int count, DevicePtr qkv, DevicePtr gates, DevicePtr alphas, DevicePtr betas,
            DevicePtr output) {
        qkv.require(4L * count * net.channels(), "DeltaNet q, k and v");
        gates.require(4L * count * net.valueWidth(), "DeltaNet gates");
        alphas.require(4L * count * net.valueHeads(), "DeltaNet alphas");
        betas.require(4L * count * net.valueHeads(), "DeltaNet betas");
        output.require(4L * count * net.valueWidth(), "DeltaNet output");
        net.convolution().require(4L * net.channels() * net.kernel(), "DeltaNet convolution");
        net.timeBias().require(4L * net.valueHeads(), "DeltaNet time bias");
        net.decay().require(4L * net.valueHeads(), "DeltaNet decay");
        net.norm().require(4L * net.valueSize(), "DeltaNet norm");
        if (net.valueHeads() % net.keyHeads() != 0) {
            throw new IllegalArgumentException(
                    "DeltaNet value heads must be a multiple of key heads, got " + net.valueHeads() + " and " + net.keyHeads());
        }
    }

    /** Runs of channels: query heads, key heads, value heads. */
    private int heads() {
        return 2 * shape.keyHeads() + shape.valueHeads();
    }

    private void convolve(int worker, int from, int to) {
        for (int item = from; item < to; item++) {
            convolveHead(worker, item / heads(), item % heads());
        }
    }

    private void convolveHead(int worker, int segment, int head) {
        int keyRuns = 2 * shape.keyHeads();
        boolean isKey = head < keyRuns;
        int size = isKey ? shape.keySize() : shape.valueSize();
        int channel = isKey ? head * shape.keySize() : keyRuns * shape.keySize() + (head - keyRuns) * shape.valueSize();
        float factor = head < shape.keyHeads() ? (float) (1 / Math.sqrt(shape.keySize())) : 1f;
        long transposed = workerScratch + worker * workerBytes;
        convolution.transposeWeights(channel, size, transposed);
        int first = rows.firstRow(segment);
        for (int index = 0; index < rows.rowCount(segment); index++) {
            long target = convolved + 4L * ((long) (first + index) * shape.channels() + channel);
            convolution.silu(segment, index, channel, size, transposed, target);
            if (isKey) {
                double length = Math.sqrt((double) NormKernel.dot(target, target, size) + L2_EPSILON);
                NormKernel.scale(target, (float) (factor / length), size, target);
            }
        }
        convolution.keepHistory(segment, channel, size);
    }

    /** {@code exp(a softplus(alpha + bias))} and {@code sigmoid(beta)} of one head. */
    private void decaysAndRates(int segment, int head) {
        float bias = HostMemory.getFloat(shape.timeBias().address() + 4L * head);
        float decay = HostMemory.getFloat(shape.decay().address() + 4L * head);
        for (int row = rows.firstRow(segment); row < rows.firstRow(segment + 1); row++) {
            long at = 4L * ((long) row * shape.valueHeads() + head);
            float time = VectorMath.softplus(HostMemory.getFloat(alpha + at) + bias);
            HostMemory.setFloat(decays + at, VectorMath.exp(decay * time));
            HostMemory.setFloat(rates + at, VectorMath.sigmoid(HostMemory.getFloat(beta + at)));
        }
    }

    private void recur(int worker, int from, int to) {
        for (int item = from; item < to; item++) {
            int segment = item / shape.valueHeads();
            int head = item % shape.valueHeads();
            int size = shape.valueSize();
            int step = 4 * Vectors.LANES;
            decaysAndRates(segment, head);
            int column = 0;
            for (; column <= size - step; column += step) {
                recurColumns(segment, head, column, step);
            }
            for (; column < size; column += Vectors.LANES) {
                recurColumns(segment, head, column, Math.min(Vectors.LANES, size - column));
            }
            finish(segment, head, workerScratch + worker * workerBytes);
        }
    }

    /**
     * Runs some columns of a head's state through the segment's rows. The state after a row is written straight into the plane of the next
     * row that keeps one: it is the working memory until then, and what was kept before is only read.
     */
    private void recurColumns(int segment, int head, int column, int columns) {
        int keyHead = shape.groupedHeads() ? head / (shape.valueHeads() / shape.keyHeads()) : head % shape.keyHeads();
        int keySize = shape.keySize();
        int valueHeads = shape.valueHeads();
        int size = shape.valueSize();
        long stateOffset = shape.stateOffset() + 4L * ((long) head * keySize * size + column);
        long keyOffset = 4L * (shape.keyHeads() + keyHead) * keySize;
        long valueOffset = 4L * (2L * shape.keyHeads() * keySize + (long) head * size + column);
        int end = rows.firstRow(segment + 1);
        int keeper = rows.firstRow(segment) - 1;
        long source = rows.planeIn(segment) + stateOffset;
        for (int row = rows.firstRow(segment); row < end; row++) {
            while (keeper < row || rows.planeOut(keeper) == 0) {
                keeper++;
            }
            long target = rows.planeOut(keeper) + stateOffset;
            long channels = convolved + 4L * row * shape.channels();
            float decay = HostMemory.getFloat(decays + 4L * ((long) row * valueHeads + head));
            float rate = HostMemory.getFloat(rates + 4L * ((long) row * valueHeads + head));
            long query = channels + 4L * keyHead * keySize;
            long result = out + 4L * ((long) row * shape.valueWidth() + (long) head * size + column);
            if (columns == 4 * Vectors.LANES) {
                DeltaRule.four(source, target, 4L * size, keySize, channels + keyOffset, query, channels + valueOffset, decay, rate,
                        result);
            } else {
                DeltaRule.one(source, target, 4L * size, keySize, channels + keyOffset, query, channels + valueOffset, decay, rate, result,
                        columns);
            }
            source = target;
        }
    }

    /** Output norm and gate, in place. */
    private void finish(int segment, int head, long buffer) {
        int size = shape.valueSize();
        for (int row = rows.firstRow(segment); row < rows.firstRow(segment + 1); row++) {
            long offset = 4L * ((long) row * shape.valueWidth() + (long) head * size);
            NormKernel.rmsNorm(out + offset, shape.norm().address(), size, shape.epsilon(), out + offset);
            if (shape.sigmoidGate()) {
                Activations.sigmoid(gate + offset, 1f, size, buffer);
            } else {
                Activations.silu(gate + offset, 1f, size, buffer);
            }
            NormKernel.multiply(out + offset, buffer, size);
        }
    }

    @Override
    public void close() {
        scratch.close();
    }
}

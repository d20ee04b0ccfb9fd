package dev.ringside.gpu.host;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.NGramShape;
import dev.ringside.gpu.StepRows;

/** The per-layer n-gram embedding (PLE, qwen4exp) behind its projections: gate, norm, dilated convolution, addition to the streams. */
@SuppressWarnings("NullAway.Init") // arguments of the call in progress
final class NGramOps implements AutoCloseable {

    private static final int CHUNK = 256;
    private static final float LEAST = 1e-6f;

    private final WorkerPool pool;
    private final CausalConvolution convolution = new CausalConvolution();
    private final Scratch scratch = new Scratch();
    private final ParallelTask gateTask = this::gateStreams;
    private final ParallelTask convolveTask = this::convolveChunks;

    private StepRows rows;
    private NGramShape shape;
    private long key;
    private long value;
    private long streams;
    private long normed;
    private long gates;
    private long workerScratch;
    private long workerBytes;

    NGramOps(WorkerPool pool) {
        this.pool = pool;
    }

    /** See {@link dev.ringside.gpu.Kernels#nGramEmbedding}. */
    void nGramEmbedding(StepRows stepRows, NGramShape nGram, DevicePtr keys, DevicePtr values, DevicePtr residual) {
        int count = stepRows.rows();
        int flat = nGram.streams() * nGram.width();
        keys.require(4L * count * flat, "N-gram keys");
        values.require(4L * count * nGram.width(), "N-gram values");
        residual.require(4L * count * flat, "Residual streams");
        nGram.keyNorm().require(4L * flat, "N-gram key norm");
        nGram.queryNorm().require(4L * flat, "N-gram query norm");
        nGram.convolutionNorm().require(4L * flat, "N-gram convolution norm");
        nGram.convolution().require(4L * flat * nGram.kernel(), "N-gram convolution");
        rows = stepRows;
        shape = nGram;
        key = keys.address();
        value = values.address();
        streams = residual.address();
        long perWorker = Math.max(nGram.width(), (nGram.kernel() + 1L) * CHUNK);
        normed = scratch.floats((long) count * (flat + nGram.streams()) + perWorker * pool.threads());
        gates = normed + 4L * count * flat;
        workerScratch = gates + 4L * count * nGram.streams();
        workerBytes = 4 * perWorker;
        convolution.begin(stepRows, normed, flat, nGram.kernel(), nGram.dilation(), nGram.convolution().address(), nGram.historyOffset());
        int segments = stepRows.segments();
        pool.run(gateTask, Math.multiplyExact(count, nGram.streams()), NormOps.grain(4 * nGram.width()));
        pool.run(convolveTask, Math.multiplyExact(segments * nGram.streams(), chunks()),
                NormOps.grain(4 * CHUNK * Math.max(1, count / Math.max(1, segments))));
    }

    private int chunks() {
        return (shape.width() + CHUNK - 1) / CHUNK;
    }

    private void gateStreams(int worker, int from, int to) {
        int width = shape.width();
        for (int run = from; run < to; run++) {
            long offset = 4L * run * width;
            float gate = gate(offset, 4L * (run % shape.streams()) * width, workerScratch + worker * workerBytes);
            HostMemory.setFloat(gates + 4L * run, gate);
            NormKernel.scale(value + 4L * (run / shape.streams()) * width, gate, width, normed + offset);
            NormKernel.rmsNorm(normed + offset, shape.convolutionNorm().address() + 4L * (run % shape.streams()) * width, width,
                    shape.epsilon(), normed + offset);
        }
    }

    private float gate(long offset, long weightOffset, long buffer) {
        int width = shape.width();
        NormKernel.rmsNorm(key + offset, shape.keyNorm().address() + weightOffset, width, shape.epsilon(), normed + offset);
        NormKernel.rmsNorm(streams + offset, shape.queryNorm().address() + weightOffset, width, shape.epsilon(), buffer);
        double score = NormKernel.dot(normed + offset, buffer, width) / Math.sqrt(width);
        return VectorMath.sigmoid((float) (Math.signum(score) * Math.sqrt(Math.max(Math.abs(score), LEAST))));
    }

    private void convolveChunks(int worker, int from, int to) {
        int chunks = chunks();
        for (int item = from; item < to; item++) {
            int stream = item / chunks % shape.streams();
            int first = item % chunks * CHUNK;
            convolve(worker, item / chunks / shape.streams(), stream, first, Math.min(CHUNK, shape.width() - first));
        }
    }

    private void convolve(int worker, int segment, int stream, int first, int count) {
        int width = shape.width();
        int channel = stream * width + first;
        long activated = workerScratch + worker * workerBytes;
        long transposed = activated + 4L * CHUNK;
        convolution.transposeWeights(channel, count, transposed);
        int firstRow = rows.firstRow(segment);
        for (int index = 0; index < rows.rowCount(segment); index++) {
            long row = firstRow + index;
            convolution.silu(segment, index, channel, count, transposed, activated);
            float gate = HostMemory.getFloat(gates + 4L * (row * shape.streams() + stream));
            NormKernel.add(value + 4L * (row * width + first), gate, count, activated);
            NormKernel.add(activated, 1f, count, streams + 4L * (row * shape.streams() * width + channel));
        }
        convolution.keepHistory(segment, channel, count);
    }

    @Override
    public void close() {
        scratch.close();
    }
}

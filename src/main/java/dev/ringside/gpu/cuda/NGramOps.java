package dev.ringside.gpu.cuda;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.NGramShape;

/** The n-gram embedding behind its projections. */
final class NGramOps implements AutoCloseable {

    private static final int THREADS = 256;

    private final OperationContext context;
    private final Scratch normed;
    private final Scratch gates;
    private final Kernel gate;
    private final Kernel convolve;

    NGramOps(OperationContext context) {
        this.context = context;
        this.normed = context.scratch("n-gram activations");
        this.gates = context.scratch("n-gram activations");
        this.gate = context.kernel("ngram", "ngram_gate");
        this.convolve = context.kernel("ngram", "ngram_convolve");
    }

    /** See {@link dev.ringside.gpu.Kernels#nGramEmbedding}. */
    void nGramEmbedding(NGramShape shape, DevicePtr key, DevicePtr value, DevicePtr streams) {
        int count = context.rows().rows();
        int width = shape.width();
        int flat = shape.streams() * width;
        key.require(4L * count * flat, "N-gram keys");
        value.require(4L * count * width, "N-gram values");
        streams.require(4L * count * flat, "Residual streams");
        shape.keyNorm().require(4L * flat, "N-gram key norm");
        shape.queryNorm().require(4L * flat, "N-gram query norm");
        shape.convolutionNorm().require(4L * flat, "N-gram convolution norm");
        shape.convolution().require(4L * flat * shape.kernel(), "N-gram convolution");
        if (count == 0) {
            return;
        }
        long n = normed.floats((long) count * flat);
        long g = gates.floats((long) count * shape.streams());
        context.launch().of(gate).i64(key.address()).i64(value.address()).i64(streams.address()).i32(shape.streams()).i32(width)
                .i64(shape.keyNorm().address()).i64(shape.queryNorm().address()).i64(shape.convolutionNorm().address()).f32(shape.epsilon())
                .i64(g)
                .i64(n).run(Math.multiplyExact(count, shape.streams()), 1, OperationContext.threads(width, THREADS));
        context.launch().of(convolve).i64(context.step().address()).struct().i32(flat).i32(shape.kernel()).i32(shape.dilation())
                .i64(shape.historyOffset()).i64(shape.convolution().address()).end().i64(n).i64(g).i64(value.address()).i32(shape.streams())
                .i32(width).i64(streams.address()).run(OperationContext.blocks(flat, THREADS), count, THREADS);
    }

    @Override
    public void close() {
        normed.close();
        gates.close();
    }
}

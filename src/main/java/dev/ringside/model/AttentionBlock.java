package dev.ringside.model;

import dev.ringside.gpu.AttentionShape;
import dev.ringside.gpu.BlockSelection;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.IndexerShape;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.Matrix;
import org.jspecify.annotations.Nullable;

/** Attention with per-head query and key norms, RoPE and an optional output gate, over all positions or those an indexer keeps. */
final class AttentionBlock implements TokenMixer {

    /** Weights of one layer; {@code query} has twice the rows when the shape is gated. */
    record Weights(int block, Matrix query, Matrix key, Matrix value, Matrix output, AttentionShape shape, @Nullable Indexer indexer) {}

    /** The sparse-attention indexer of a layer. */
    record Indexer(Matrix query, Matrix key, IndexerShape shape) {}

    /** Activations, shared by the attention layers of a model. Index buffers are null where no layer has an indexer. */
    record Buffers(DevicePtr queryGate, DevicePtr key, DevicePtr value, DevicePtr query, DevicePtr attended, @Nullable DevicePtr indexQuery,
            @Nullable DevicePtr indexKey, @Nullable BlockSelection selection) {}

    private final Kernels kernels;
    private final GpuStream stream;
    private final Weights weights;
    private final Buffers buffers;
    private final Matrix[] inputs;
    private final DevicePtr[] projected;

    AttentionBlock(Kernels kernels, GpuStream stream, Weights weights, Buffers buffers) {
        this.kernels = kernels;
        this.stream = stream;
        this.weights = weights;
        this.buffers = buffers;
        this.inputs = new Matrix[] {weights.query(), weights.key(), weights.value()};
        this.projected = new DevicePtr[] {buffers.queryGate(), buffers.key(), buffers.value()};
    }

    @Override
    public void forward(DevicePtr hidden, int rows, DevicePtr out, @Nullable DevicePtr sum, @Nullable ForwardObserver observer) {
        AttentionShape shape = weights.shape();
        kernels.matmul(inputs, hidden, rows, projected);
        if (weights.indexer() == null) {
            kernels.attend(shape, buffers.queryGate(), buffers.key(), buffers.value(), buffers.query(), buffers.attended());
        } else {
            kernels.prepareAttention(shape, buffers.queryGate(), buffers.key(), buffers.value(), buffers.query());
            BlockSelection selection = select(hidden, rows);
            kernels.attention(shape, buffers.query(), buffers.queryGate(), selection, buffers.attended());
            if (observer != null && selection != null) {
                stream.synchronize();
                observer.selected(weights.block(), selection, rows);
            }
        }
        if (sum == null) {
            kernels.matmul(weights.output(), buffers.attended(), rows, out);
        } else {
            kernels.addMatmul(weights.output(), buffers.attended(), rows, out, sum);
        }
    }

    private @Nullable BlockSelection select(DevicePtr hidden, int rows) {
        Indexer indexer = weights.indexer();
        DevicePtr indexQuery = buffers.indexQuery();
        DevicePtr indexKey = buffers.indexKey();
        BlockSelection selection = buffers.selection();
        if (indexer == null || indexQuery == null || indexKey == null || selection == null) {
            return null;
        }
        kernels.matmul(indexer.query(), hidden, rows, indexQuery);
        kernels.matmul(indexer.key(), hidden, rows, indexKey);
        kernels.selectBlocks(indexer.shape(), indexQuery, indexKey, selection);
        return selection;
    }
}

package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.NGramShape;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepRows;

/** The per-layer n-gram embedding: table rows chosen by a hash of the last tokens, projected, gated per stream and added to the streams. */
final class NGramBlock {

    /** Weights of the layer. */
    record Weights(Matrix table, Matrix key, Matrix value, NGramShape shape) {}

    /** Activations and the page-locked row numbers. */
    record Buffers(PinnedBuffer rowNumbers, DevicePtr embedding, DevicePtr key, DevicePtr value) {}

    private final Kernels kernels;
    private final Weights weights;
    private final Buffers buffers;
    private final NGramHash hash;
    private final int heads;

    NGramBlock(Kernels kernels, Weights weights, Buffers buffers, NGramHash hash, int heads) {
        this.kernels = kernels;
        this.weights = weights;
        this.buffers = buffers;
        this.hash = hash;
        this.heads = heads;
    }

    /** Writes the row numbers of the step. They depend on token ids alone, so this comes before anything runs. */
    void prepare(StepRows step) {
        for (int row = 0; row < step.rows(); row++) {
            int segment = step.segmentOf(row);
            hash.rows(step.token(row), step.history(segment), step.position(row), buffers.rowNumbers().memory(), (long) row * heads);
        }
    }

    /** {@code streams += PLE(streams)}, {@code [rows][streams * hidden]}. */
    void addTo(DevicePtr streams, int rows) {
        kernels.gatherRows(weights.table(), buffers.rowNumbers(), rows * heads, buffers.embedding());
        kernels.matmul(weights.key(), buffers.embedding(), rows, buffers.key());
        kernels.matmul(weights.value(), buffers.embedding(), rows, buffers.value());
        kernels.nGramEmbedding(weights.shape(), buffers.key(), buffers.value(), streams);
    }
}

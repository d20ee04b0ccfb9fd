package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepRows;

/**
 * The draft block of the Qwen hybrids: the embedding of the next token and the trunk's hidden state behind its final norm are normed, projected
 * together, and run through one more attention layer.
 */
final class ResidualDraft implements DraftHead {

    /**
     * Weights of the block.
     *
     * @param layer shaped like the trunk's attention layers, on the activations of {@code buffers}
     * @param trunkNorm F32, hidden: the trunk's final norm
     * @param embeddingNorm F32, hidden
     * @param hiddenNorm F32, hidden
     * @param embeddingProjection {@code hidden x hidden}
     * @param hiddenProjection {@code hidden x hidden}
     * @param headNorm F32, hidden: in front of the head, the trunk's own where the file has none
     * @param head the trunk's own where the file has none
     */
    record Weights(Matrix embedding, ResidualLayer layer, DevicePtr trunkNorm, DevicePtr embeddingNorm, DevicePtr hiddenNorm,
            Matrix embeddingProjection, Matrix hiddenProjection, DevicePtr headNorm, Matrix head, float epsilon) {}

    /**
     * Activations.
     *
     * @param trunk the trunk's residual after a step
     * @param layer activations of the block's own layer
     * @param normed the block's hidden states behind its norm: those of a further draft
     * @param selected hidden states of rows with logits
     */
    record Buffers(DevicePtr trunk, ResidualLayer.Buffers layer, DevicePtr embedding, DevicePtr projected, DevicePtr normed,
            DevicePtr selected) {}

    private final Device device;
    private final Weights weights;
    private final Buffers buffers;
    private final int width;
    private final HiddenRows hiddenRows;
    private final Matrix trunkStates;
    private final Matrix draftStates;

    ResidualDraft(Device device, Weights weights, Buffers buffers, HiddenRows hiddenRows) {
        this.device = device;
        this.weights = weights;
        this.buffers = buffers;
        this.width = weights.embedding().columns();
        this.hiddenRows = hiddenRows;
        this.trunkStates = HiddenRows.table(buffers.trunk(), device.maxRows(), width);
        this.draftStates = HiddenRows.table(buffers.normed(), device.maxRows(), width);
    }

    @Override
    public void forward(StepRows step, Hidden hidden, int[] rowsOfHidden, PinnedBuffer logits) {
        Kernels kernels = device.kernels();
        int rows = step.rows();
        float epsilon = weights.epsilon();
        DevicePtr residual = buffers.layer().residual();
        kernels.beginStep(step);
        kernels.embed(weights.embedding(), 1, buffers.embedding());
        kernels.rmsNorm(buffers.embedding(), weights.embeddingNorm(), rows, 1, width, epsilon, buffers.embedding());
        kernels.matmul(weights.embeddingProjection(), buffers.embedding(), rows, residual);
        DevicePtr states = hiddenRows.gather(hidden == Hidden.TRUNK ? trunkStates : draftStates, rowsOfHidden, step);
        if (hidden == Hidden.TRUNK) {
            kernels.rmsNorm(states, weights.trunkNorm(), rows, 1, width, epsilon, states);
        }
        kernels.rmsNorm(states, weights.hiddenNorm(), rows, 1, width, epsilon, states);
        kernels.matmul(weights.hiddenProjection(), states, rows, buffers.projected());
        kernels.add(residual, buffers.projected(), (long) rows * width);
        weights.layer().forward(rows, null);
        kernels.rmsNorm(residual, weights.headNorm(), rows, 1, width, epsilon, buffers.normed());
        if (step.logitRows() > 0) {
            kernels.gatherLogitRows(buffers.normed(), width, buffers.selected());
            kernels.matmul(weights.head(), buffers.selected(), step.logitRows(), logits.device());
        }
        device.stream().synchronize();
    }
}

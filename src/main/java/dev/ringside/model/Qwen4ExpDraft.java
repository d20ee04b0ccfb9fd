package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.HyperConnection;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepRows;

/**
 * The draft block of {@code qwen4exp}: each stream of the trunk's bundle is projected, the projected embedding of the next token is added to
 * all of them, and one more layer and a mixer of its own follow, in front of the trunk's head.
 */
final class Qwen4ExpDraft implements DraftHead {

    /**
     * Weights of the block.
     *
     * @param layer an attention layer with experts, on the activations of {@code buffers}
     * @param embeddingNorm F32, hidden
     * @param hiddenNorm F32, streams * hidden: the norm runs over the whole bundle at once
     * @param embeddingProjection {@code hidden x hidden}
     * @param streamProjection {@code hidden x hidden}, the same for each stream
     */
    record Weights(Matrix embedding, Matrix head, Qwen4ExpLayer layer, DevicePtr embeddingNorm, DevicePtr hiddenNorm,
            Matrix embeddingProjection, Matrix streamProjection, HyperConnection mixer) {}

    /**
     * Activations.
     *
     * @param trunk the trunk's streams after a step
     * @param layer activations of the block's own layer; its streams are the hidden states of a further draft
     * @param ones 1 for each stream of each row
     * @param selected streams of rows with logits
     */
    record Buffers(DevicePtr trunk, Qwen4ExpLayer.Buffers layer, DevicePtr embedding, DevicePtr projected, DevicePtr ones,
            DevicePtr selected,
            DevicePtr mixed) {}

    private final Device device;
    private final Weights weights;
    private final Buffers buffers;
    private final HiddenRows hiddenRows;
    private final Matrix trunkStates;
    private final Matrix draftStates;

    Qwen4ExpDraft(Device device, Weights weights, Buffers buffers, HiddenRows hiddenRows) {
        this.device = device;
        this.weights = weights;
        this.buffers = buffers;
        int bundle = weights.mixer().count() * weights.mixer().width();
        this.hiddenRows = hiddenRows;
        this.trunkStates = HiddenRows.table(buffers.trunk(), device.maxRows(), bundle);
        this.draftStates = HiddenRows.table(buffers.layer().streams(), device.maxRows(), bundle);
    }

    @Override
    public void forward(StepRows step, Hidden hidden, int[] rowsOfHidden, PinnedBuffer logits) {
        Kernels kernels = device.kernels();
        int rows = step.rows();
        int streams = weights.mixer().count();
        int width = weights.mixer().width();
        int bundle = streams * width;
        float epsilon = weights.mixer().epsilon();
        kernels.beginStep(step);
        kernels.embed(weights.embedding(), 1, buffers.embedding());
        kernels.rmsNorm(buffers.embedding(), weights.embeddingNorm(), rows, 1, width, epsilon, buffers.embedding());
        kernels.matmul(weights.embeddingProjection(), buffers.embedding(), rows, buffers.projected());
        DevicePtr states = hiddenRows.gather(hidden == Hidden.TRUNK ? trunkStates : draftStates, rowsOfHidden, step);
        kernels.rmsNorm(states, weights.hiddenNorm(), rows, 1, bundle, epsilon, states);
        kernels.matmul(weights.streamProjection(), states, rows * streams, buffers.layer().streams());
        kernels.hyperConnectionAdd(buffers.layer().streams(), buffers.projected(), buffers.ones(), rows, streams, width);
        weights.layer().forward(rows, null);
        if (step.logitRows() > 0) {
            kernels.gatherLogitRows(buffers.layer().streams(), bundle, buffers.selected());
            kernels.hyperConnectionMix(weights.mixer(), buffers.selected(), step.logitRows(), buffers.mixed(), null);
            kernels.matmul(weights.head(), buffers.mixed(), step.logitRows(), logits.device());
        }
        device.stream().synchronize();
    }
}

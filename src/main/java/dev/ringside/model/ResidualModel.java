package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepRows;
import dev.ringside.sequence.StateLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A trunk of pre-norm layers over one residual stream, with a norm and a head at its end. */
final class ResidualModel implements LanguageModel {

    /**
     * Everything a loaded trunk consists of.
     *
     * @param selected residual of rows with logits
     * @param draft draft (MTP) block, null when there is none
     * @param hidden keeps hidden states for it
     */
    record Parts(ModelInfo info, StateLayout stateLayout, Matrix embedding, List<ResidualLayer> layers, DevicePtr outputNorm, Matrix head,
            float epsilon, @Nullable DraftHead draft, @Nullable HiddenRows hidden, ResidualLayer.Buffers buffers, DevicePtr selected) {}

    private final Device device;
    private final Parts parts;
    private final ResidualLayer[] layers;
    private final int maxLogitRows;
    private @Nullable ForwardObserver observer;

    ResidualModel(Device device, Parts parts, int maxLogitRows) {
        this.device = device;
        this.parts = parts;
        this.layers = parts.layers().toArray(ResidualLayer[]::new);
        this.maxLogitRows = maxLogitRows;
    }

    @Override
    public ModelInfo info() {
        return parts.info();
    }

    @Override
    public StateLayout stateLayout() {
        return parts.stateLayout();
    }

    @Override
    public GpuStream stream() {
        return device.stream();
    }

    @Override
    public @Nullable DraftHead draftHead() {
        return parts.draft();
    }

    @Override
    public void observe(@Nullable ForwardObserver newObserver) {
        this.observer = newObserver;
    }

    @Override
    public void forward(StepRows step, PinnedBuffer logits) {
        int rows = step.rows();
        int logitRows = step.logitRows();
        if (logitRows > maxLogitRows) {
            throw new IllegalArgumentException("A step gives at most " + maxLogitRows + " rows of logits, asked for " + logitRows);
        }
        Kernels kernels = device.kernels();
        int width = parts.info().hiddenSize();
        DevicePtr residual = parts.buffers().residual();
        kernels.beginStep(step);
        kernels.embed(parts.embedding(), 1, residual);
        for (int i = 0; i < layers.length; i++) {
            step.requireWanted();
            layers[i].forward(rows, observer);
            if (observer != null) {
                device.stream().synchronize();
                observer.afterLayer(i, residual, rows, width);
            }
        }
        if (parts.hidden() != null) {
            parts.hidden().keep(step, residual);
        }
        if (logitRows > 0) {
            kernels.gatherLogitRows(residual, width, parts.selected());
            kernels.rmsNorm(parts.selected(), parts.outputNorm(), logitRows, 1, width, parts.epsilon(), parts.selected());
            kernels.matmul(parts.head(), parts.selected(), logitRows, logits.device());
        }
        device.stream().synchronize();
    }

    @Override
    public void close() {
        device.close();
    }
}

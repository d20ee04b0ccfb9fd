package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.HyperConnection;
import dev.ringside.gpu.Kernels;
import dev.ringside.gpu.Matrix;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepRows;
import dev.ringside.sequence.StateLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The trunk of a {@code qwen4exp} model. */
final class Qwen4ExpModel implements LanguageModel {

    /** Everything a loaded trunk consists of. */
    record Parts(ModelInfo info, StateLayout stateLayout, Matrix embedding, List<Qwen4ExpLayer> layers, @Nullable NGramBlock nGram,
            HyperConnection outputMixer, Matrix head, @Nullable DraftHead draft, @Nullable HiddenRows hidden, Qwen4ExpLayer.Buffers buffers,
            DevicePtr selected,
            DevicePtr mixed) {}

    private final Device device;
    private final Parts parts;
    private final Qwen4ExpLayer[] layers;
    private final int maxLogitRows;
    private @Nullable ForwardObserver observer;

    Qwen4ExpModel(Device device, Parts parts, int maxLogitRows) {
        this.device = device;
        this.parts = parts;
        this.layers = parts.layers().toArray(Qwen4ExpLayer[]::new);
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
        if (step.logitRows() > maxLogitRows) {
            throw new IllegalArgumentException("A step gives at most " + maxLogitRows + " rows of logits, asked for " + step.logitRows());
        }
        Kernels kernels = device.kernels();
        HyperConnection mixer = parts.outputMixer();
        int bundle = mixer.count() * mixer.width();
        DevicePtr streams = parts.buffers().streams();
        if (parts.nGram() != null) {
            parts.nGram().prepare(step);
        }
        kernels.beginStep(step);
        kernels.embed(parts.embedding(), mixer.count(), streams);
        for (int i = 0; i < layers.length; i++) {
            step.requireWanted();
            layers[i].forward(rows, observer);
            if (observer != null) {
                device.stream().synchronize();
                observer.afterLayer(i, streams, rows, bundle);
            }
        }
        if (parts.hidden() != null) {
            parts.hidden().keep(step, streams);
        }
        if (step.logitRows() > 0) {
            kernels.gatherLogitRows(streams, bundle, parts.selected());
            kernels.hyperConnectionMix(mixer, parts.selected(), step.logitRows(), parts.mixed(), null);
            kernels.matmul(parts.head(), parts.mixed(), step.logitRows(), logits.device());
        }
        device.stream().synchronize();
    }

    @Override
    public void close() {
        device.close();
    }
}

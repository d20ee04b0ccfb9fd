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

/** A trunk of layers over the hidden states of a step's rows, with a head at its end. */
final class TrunkModel implements LanguageModel {

    /** Changes the hidden states in place. */
    interface Layer {

        void forward(int rows, @Nullable ForwardObserver observer);

        /** Does what is left of a resident step that stopped behind this layer's router. */
        void finish(int rows);

        /** The mixture of experts of the layer, null when it has none. */
        @Nullable
        MoeBlock experts();
    }

    /** From hidden states to logits. */
    interface Head {

        /**
         * Computes the logits of those rows of the step that want them.
         *
         * @param rows how many they are, at least one
         * @param logits out, F32, {@code [rows][vocabulary]}
         */
        void logits(DevicePtr states, int rows, DevicePtr logits);
    }

    /**
     * Everything a loaded trunk consists of.
     *
     * @param copies streams of a row, which all begin with its embedding
     * @param states hidden states, {@code [rows][width]} with all streams of a row side by side
     * @param nGram n-gram block that a layer adds, null when there is none
     * @param resident the experts as the device knows them, null where the host is the device or there are none
     * @param draft draft (MTP) block, null when there is none
     * @param hidden keeps hidden states for it
     */
    record Parts(ModelInfo info, StateLayout stateLayout, Matrix embedding, int copies, DevicePtr states, int width,
            List<? extends Layer> layers, Head head, @Nullable NGramBlock nGram, @Nullable ResidentExperts resident,
            @Nullable DraftHead draft, @Nullable HiddenRows hidden) {}

    private final Device device;
    private final Parts parts;
    private final Layer[] layers;
    private final int maxLogitRows;
    private final @Nullable ResidentTrunk resident;
    private @Nullable ForwardObserver observer;

    TrunkModel(Device device, Parts parts, int maxLogitRows) {
        this.device = device;
        this.parts = parts;
        this.layers = parts.layers().toArray(Layer[]::new);
        this.maxLogitRows = maxLogitRows;
        this.resident = ResidentTrunk.on(device, parts);
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
        if (parts.nGram() != null) {
            parts.nGram().prepare(step);
        }
        if (resident != null && observer == null && resident.serves(step)) {
            resident.forward(step, logits);
            return;
        }
        Kernels kernels = device.kernels();
        DevicePtr states = parts.states();
        kernels.beginStep(step);
        kernels.embed(parts.embedding(), parts.copies(), states);
        for (int i = 0; i < layers.length; i++) {
            step.requireWanted();
            layers[i].forward(rows, observer);
            if (observer != null) {
                device.stream().synchronize();
                observer.afterLayer(i, states, rows, parts.width());
            }
        }
        if (parts.hidden() != null) {
            parts.hidden().keep(step, states);
        }
        if (logitRows > 0) {
            parts.head().logits(states, logitRows, logits.device());
        }
        device.stream().synchronize();
    }

    @Override
    public void close() {
        if (resident != null) {
            resident.close();
        }
        device.close();
    }
}

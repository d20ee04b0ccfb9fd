package dev.ringside.model;

import dev.ringside.gpu.GpuStream;
import dev.ringside.gpu.PinnedBuffer;
import dev.ringside.gpu.StepRows;
import dev.ringside.sequence.StateLayout;
import org.jspecify.annotations.Nullable;

/** A loaded model: weights in place, ready to compute steps. Belongs to the engine thread after it was loaded. */
public interface LanguageModel extends AutoCloseable {

    ModelInfo info();

    /** What a sequence of this model keeps. */
    StateLayout stateLayout();

    /** The stream its kernels run on. Sequence state must be zeroed and restored on it. */
    GpuStream stream();

    /**
     * Computes the rows of a step and waits for it.
     *
     * @param rows at most as many as the model was loaded for
     * @param logits out, F32, {@code [rows.logitRows()][vocabulary]}
     * @throws dev.ringside.expert.ExpertReadException when an expert can't be read; no sequence is changed by the failed step
     */
    void forward(StepRows rows, PinnedBuffer logits);

    /** The model's draft block, or null when it has none. */
    default @Nullable DraftHead draftHead() {
        return null;
    }

    /** Shows intermediate results to an observer, or to nobody. Not while a step runs. */
    default void observe(@Nullable ForwardObserver observer) {}

    @Override
    void close();
}

package dev.ringside.model;

import dev.ringside.gpu.Recording;
import dev.ringside.gpu.ResidentKernels;
import org.jspecify.annotations.Nullable;

/** What was recorded of steps of one shape, part by part as it is needed. */
final class StepRecordings implements AutoCloseable {

    private final ResidentKernels kernels;
    private final long shape;
    private final long logits;
    private final @Nullable Recording[] parts;

    /**
     * @param shape of the steps
     * @param logits address that logits are written to
     * @param parts how many there may be
     */
    StepRecordings(ResidentKernels kernels, long shape, long logits, int parts) {
        this.kernels = kernels;
        this.shape = shape;
        this.logits = logits;
        this.parts = new @Nullable Recording[parts];
    }

    boolean serves(long stepShape, long stepLogits) {
        return shape == stepShape && logits == stepLogits;
    }

    boolean has(int part) {
        Recording recorded = parts[part];
        return recorded != null && recorded.usable();
    }

    /** Records a part. Not while a step runs that may have stopped. */
    void record(int part, Runnable operations) {
        Recording before = parts[part];
        parts[part] = null;
        if (before != null) {
            before.close();
        }
        parts[part] = kernels.record(operations);
    }

    void launch(int part) {
        Recording recorded = parts[part];
        if (recorded == null) {
            throw new IllegalStateException("Part " + part + " of the step was not recorded");
        }
        recorded.launch();
    }

    @Override
    public void close() {
        for (Recording recorded : parts) {
            if (recorded != null) {
                recorded.close();
            }
        }
    }
}

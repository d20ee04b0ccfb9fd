package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.RowNorm;
import org.jspecify.annotations.Nullable;

/** The half of a layer that works on each token alone. */
sealed interface ChannelMixer permits MoeBlock, DenseBlock {

    /**
     * @param norm what makes the hidden states from the residual, which is done here; null when they are there
     * @param hidden {@code [rows][hidden]}
     * @param rows rows of the step
     * @param out {@code [rows][hidden]}; with a sum it need not hold the result
     * @param sum {@code [rows][hidden]}, what the result is added to, or null
     */
    void forward(@Nullable RowNorm norm, DevicePtr hidden, int rows, DevicePtr out, @Nullable DevicePtr sum,
            @Nullable ForwardObserver observer);
}

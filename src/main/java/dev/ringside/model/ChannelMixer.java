package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import org.jspecify.annotations.Nullable;

/** The half of a layer that works on each token alone. */
sealed interface ChannelMixer permits MoeBlock, DenseBlock {

    /**
     * @param hidden {@code [rows][hidden]}
     * @param rows rows of the step
     * @param out {@code [rows][hidden]}; with a sum it need not hold the result
     * @param sum {@code [rows][hidden]}, what the result is added to, or null
     */
    void forward(DevicePtr hidden, int rows, DevicePtr out, @Nullable DevicePtr sum, @Nullable ForwardObserver observer);
}

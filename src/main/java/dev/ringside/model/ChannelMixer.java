package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import org.jspecify.annotations.Nullable;

/** The half of a layer that works on each token alone. */
sealed interface ChannelMixer permits MoeBlock, DenseBlock {

    /**
     * @param hidden {@code [rows][hidden]}
     * @param rows rows of the step
     * @param out {@code [rows][hidden]}
     */
    void forward(DevicePtr hidden, int rows, DevicePtr out, @Nullable ForwardObserver observer);
}

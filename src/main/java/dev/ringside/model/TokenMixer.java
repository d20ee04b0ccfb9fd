package dev.ringside.model;

import dev.ringside.gpu.DevicePtr;
import org.jspecify.annotations.Nullable;

/** The half of a layer that lets tokens see each other. */
sealed interface TokenMixer permits AttentionBlock, DeltaNetBlock {

    /**
     * @param hidden {@code [rows][hidden]}
     * @param rows rows of the step
     * @param out {@code [rows][hidden]}
     */
    void forward(DevicePtr hidden, int rows, DevicePtr out, @Nullable ForwardObserver observer);
}

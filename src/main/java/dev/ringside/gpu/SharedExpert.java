package dev.ringside.gpu;

import org.jspecify.annotations.Nullable;

/**
 * An expert that every row goes to, shaped and laid out like the others of its layer, so that a device which routes by itself can take it for one of them.
 *
 * @param slot its matrices, as in a slot of the arena
 * @param gate F32, hidden: its weight is the sigmoid of the product with the row; null means a weight of 1
 */
public record SharedExpert(DevicePtr slot, @Nullable DevicePtr gate) {}

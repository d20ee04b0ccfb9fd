package dev.ringside.model;

import dev.ringside.gpu.BlockSelection;
import dev.ringside.gpu.DevicePtr;
import dev.ringside.gpu.RoutingTable;

/** Sees intermediate results of a forward pass: for tracing and parity checks. Called on the thread that computes. */
public interface ForwardObserver {

    /**
     * The residual after a layer, once the device has computed it.
     *
     * @param residual F32, {@code [rows][width]}; all streams of a row one after the other
     */
    default void afterLayer(int layer, DevicePtr residual, int rows, int width) {}

    /** The index blocks that the rows of a sparse attention layer keep. */
    default void selected(int layer, BlockSelection selection, int rows) {}

    /** The experts a layer's rows were routed to. */
    default void routed(int layer, RoutingTable table, int rows) {}
}

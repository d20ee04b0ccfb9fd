package dev.ringside.gpu;

import java.lang.foreign.ValueLayout;

/**
 * The experts each row was routed to, best first, and their weights. Lies in page-locked memory so that the host can read what the router
 * kernel wrote once the stream has passed it.
 */
public final class RoutingTable {

    private final PinnedBuffer experts;
    private final PinnedBuffer weights;
    private final int choices;

    /**
     * @param experts {@code maxRows * choices} ints
     * @param weights {@code maxRows * choices} floats
     * @param choices experts per token (top-k)
     */
    public RoutingTable(PinnedBuffer experts, PinnedBuffer weights, int choices) {
        this.experts = experts;
        this.weights = weights;
        this.choices = choices;
    }

    public int choices() {
        return choices;
    }

    public int expert(int row, int choice) {
        return experts.memory().getAtIndex(ValueLayout.JAVA_INT, (long) row * choices + choice);
    }

    public float weight(int row, int choice) {
        return weights.memory().getAtIndex(ValueLayout.JAVA_FLOAT, (long) row * choices + choice);
    }

    public DevicePtr experts() {
        return experts.device();
    }

    public DevicePtr weights() {
        return weights.device();
    }
}

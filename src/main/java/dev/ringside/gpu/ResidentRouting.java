package dev.ringside.gpu;

/**
 * What the device knows of a model's experts and keeps of its routing: a table of slot addresses, {@code [layers][experts]} 64-bit, 0 for an
 * expert that is in none; the groups of the layer that was routed last, as an {@link ExpertWave} has them, empty ones behind the last; and
 * what every layer of a step was routed to, for the host to read afterwards.
 *
 * @param rows most rows of a step
 * @param slots the table
 * @param weights F32, {@code rows * (choices + 1)}, of the layer routed last
 * @param groupSlots 64-bit, {@code rows * (choices + 1)}; likewise {@code groupExperts} and {@code groupPairs} of ints
 * @param firstPairs ints, {@code rows * (choices + 1) + 1}
 * @param log of each layer {@code rows * choices} ints and then as many F32: the experts and their weights
 * @param hostLog a copy of the log in page-locked memory, made by {@link ResidentKernels#readLog}
 */
public record ResidentRouting(int layers, int experts, int choices, int rows, DevicePtr slots, DevicePtr weights, DevicePtr groupSlots,
        DevicePtr groupExperts, DevicePtr groupPairs, DevicePtr firstPairs, DevicePtr log, PinnedBuffer hostLog) {

    /** Bytes of a layer's part of the log. */
    public long logBytes() {
        return 8L * rows * choices;
    }

    /** What a layer was routed to, once the log was read and the stream waited for. */
    public RoutingTable log(int layer) {
        long half = logBytes() / 2;
        return new RoutingTable(part(2 * layer * half, half), part((2L * layer + 1) * half, half), choices);
    }

    private PinnedBuffer part(long offset, long bytes) {
        return new PinnedBuffer(hostLog.memory().asSlice(offset, bytes), hostLog.device().slice(offset, bytes));
    }

    /** The slot table's row of a layer. */
    public DevicePtr slotsOf(int layer) {
        return slots.slice(8L * experts * layer, 8L * experts);
    }
}

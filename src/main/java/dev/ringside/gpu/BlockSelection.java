package dev.ringside.gpu;

/**
 * The index blocks each row of a step attends to, written by {@link Kernels#selectBlocks}. Row r has {@code 1 + capacity} ints: the
 * number of kept blocks, then their indexes in ascending order. The tokens behind the last complete block are always attended to.
 *
 * @param data {@code maxRows * (1 + capacity)} ints
 * @param capacity most blocks a row keeps
 * @param ratio tokens of a block
 */
public record BlockSelection(DevicePtr data, int capacity, int ratio) {

    /** Bytes of one row. */
    public long rowBytes() {
        return 4L * (1 + capacity);
    }
}

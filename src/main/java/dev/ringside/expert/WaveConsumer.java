package dev.ringside.expert;

/** Takes experts as they become usable, and enqueues the kernels that read them on the stream of the gather. */
@FunctionalInterface
public interface WaveConsumer {

    /**
     * The arrays are the fetcher's own and change after the call.
     *
     * @param experts expert ids, each given once per gather
     * @param slotAddresses device address of the slot of each, for work enqueued on the gather's stream during this call
     * @param count entries in use, at least 1
     */
    void accept(int[] experts, long[] slotAddresses, int count);
}

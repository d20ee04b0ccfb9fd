package dev.ringside.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code bench} measured; its JSON has these fields.
 *
 * @param memoryBandwidth bytes a second that plain reading reaches with as many threads
 * @param denseBytes weights every step reads, routed experts not counted
 * @param results one for each prompt length and each batch
 * @param state what was measured of sequence state, null when that was left out
 */
record BenchReport(String model, String architecture, String device, String deviceDetail, double memoryBandwidth, long denseBytes,
        Arena arena, List<Result> results, @Nullable StateReport state) {

    BenchReport with(StateReport measured) {
        return new BenchReport(model, architecture, device, deviceDetail, memoryBandwidth, denseBytes, arena, results, measured);
    }

    /** The expert arena. */
    record Arena(String kind, int slots, int experts, long slotBytes) {}

    /**
     * One measurement.
     *
     * @param test {@code prefill} or {@code decode}
     * @param tokens prompt tokens, or steps
     * @param batch sequences at a time
     * @param tokensPerSecond median of the repeats, all sequences together
     * @param slowest tokens a second of the slowest repeat
     * @param fastest tokens a second of the fastest repeat
     * @param bytesPerToken weights moved for a token: dense ones shared by the rows of a step, and the experts its rows were routed to
     * @param expertBytesPerToken the experts' part of it
     * @param bytesPerSecond weights moved in a second
     * @param bandwidthShare that over the memory bandwidth
     * @param hits experts found in a slot, all timed repeats together
     * @param misses experts read
     * @param waitsPerStep how often the host waited for the device, a step of decode or a whole prompt; 0 where the host is the device
     * @param allocatedPerToken bytes of heap allocated for a decoded token, by all threads; null for prefill
     */
    record Result(String test, int tokens, int batch, int repeats, double tokensPerSecond, double slowest, double fastest,
            double bytesPerToken, double expertBytesPerToken, double bytesPerSecond, double bandwidthShare, long hits, long misses,
            double waitsPerStep, @Nullable Double allocatedPerToken) {}
}

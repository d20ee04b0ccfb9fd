package dev.ringside.expert;

/**
 * What a policy would have done on a trace.
 *
 * @param policy its name, as it was given
 * @param slots of the cache
 * @param steps tokens of the trace
 * @param asked experts asked for
 * @param misses those that were not in a slot
 */
public record ReplayResult(String policy, int slots, int steps, long asked, long misses) {

    public double missesPerStep() {
        return (double) misses / steps;
    }

    /** Share of experts that were in a slot, 0 to 1. */
    public double hitRate() {
        return asked == 0 ? 1 : 1 - (double) misses / asked;
    }
}

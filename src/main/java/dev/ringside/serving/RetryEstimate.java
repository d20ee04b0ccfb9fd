package dev.ringside.serving;

import java.time.Duration;

/**
 * When the next place becomes free. With n requests running that take S on average, one ends every S / n; S is a moving average over
 * the last requests. Before the first has ended, the one that runs longest is taken as an example of what one lasts.
 */
final class RetryEstimate {

    private static final double WEIGHT_OF_LAST = 0.2;
    private static final long LEAST_SECONDS = 1;
    private static final long MOST_SECONDS = 600;

    private double averageNanos;

    /** A request that was served to its end took so long in the engine. */
    void served(long nanos) {
        averageNanos = averageNanos == 0 ? nanos : averageNanos + WEIGHT_OF_LAST * (nanos - averageNanos);
    }

    /**
     * The wait to expect.
     *
     * @param running requests in the engine now
     * @param longestNanos how long the oldest of them has been there
     * @return whole seconds
     */
    Duration untilNextPlace(int running, long longestNanos) {
        return untilPlaces(1, running, longestNanos);
    }

    /** The wait to expect until so many places have become free, one after another. */
    Duration untilPlaces(int places, int running, long longestNanos) {
        double each = averageNanos > 0 ? averageNanos : longestNanos;
        long seconds = (long) Math.ceil(places * each / Math.max(1, running) / 1e9);
        return Duration.ofSeconds(Math.clamp(seconds, LEAST_SECONDS, MOST_SECONDS));
    }
}

package dev.ringside.sequence;

import java.time.Duration;

/**
 * Size and habits of a {@link PrefixStore}.
 *
 * @param memoryBytes most bytes of host memory for recurrent state and tokens of prefixes
 * @param maxEntries most prefixes in memory
 * @param interval tokens between the boundaries inside a prompt at which its state is kept
 * @param ttl how long a prefix is kept that nobody uses
 */
public record PrefixOptions(long memoryBytes, int maxEntries, int interval, Duration ttl) {

    private static final int DEFAULT_MAX_ENTRIES = 4096;

    public PrefixOptions {
        if (memoryBytes < 0 || maxEntries < 1 || interval < 1 || ttl.isNegative() || ttl.isZero()) {
            throw new IllegalArgumentException(
                    "Not a size of a prefix store: " + memoryBytes + " bytes, " + maxEntries + " entries, interval " + interval
                            + ", ttl " + ttl);
        }
    }

    public PrefixOptions(long memoryBytes, int interval, Duration ttl) {
        this(memoryBytes, DEFAULT_MAX_ENTRIES, interval, ttl);
    }
}

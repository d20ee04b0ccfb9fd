package dev.ringside.sequence;

/**
 * A {@link PrefixStore} at one moment and since its start.
 *
 * @param entries prefixes in memory
 * @param bytes host memory they take
 * @param pages pages of the device they hold
 * @param hits requests that began behind a prefix
 * @param misses requests that found none
 * @param tokensSaved prompt tokens that were not computed again
 * @param evictions prefixes that gave way to others or expired
 * @param failures saves and restores that failed
 * @param spilled prefixes in files
 * @param spillBytes bytes of the files
 * @param spillRefused files that were ignored: damaged, truncated or of something else
 * @param oldestSeconds age of the oldest prefix
 */
public record PrefixSnapshot(int entries, long bytes, long pages, long hits, long misses, long tokensSaved, long evictions, long failures,
        int spilled, long spillBytes, long spillRefused, long oldestSeconds) {

    /** Of a server without a store. */
    public static final PrefixSnapshot NONE = new PrefixSnapshot(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

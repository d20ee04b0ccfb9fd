package dev.ringside.expert;

/**
 * One file of a model as the expert tier sees it.
 *
 * @param file path
 * @param reads {@code direct} or {@code buffered}
 * @param alignment of direct reads in bytes, 0 when buffered
 * @param breaker {@code closed} (works), {@code open} (failed repeatedly, not tried until it has rested) or {@code half-open} (the next read
 *        is a probe)
 * @param retries reads that were tried again
 * @param failures reads that failed for good
 * @param rejected reads that were not tried because the breaker was open
 * @param fallbacks 1 when direct reads were given up for this file
 * @param readCount reads that succeeded, each of a matrix or a piece of one
 * @param directBytes bytes of those read past the page cache
 * @param bufferedBytes bytes of those read through it
 * @param readNanos time that readers spent in those, of all readers together, retries included
 */
public record ShardSnapshot(String file, String reads, int alignment, String breaker, long retries, long failures, long rejected,
        int fallbacks, long readCount, long directBytes, long bufferedBytes, long readNanos) {

    /** Of a file that nothing was read of. */
    public ShardSnapshot(String file, String reads, int alignment, String breaker, long retries, long failures, long rejected,
            int fallbacks) {
        this(file, reads, alignment, breaker, retries, failures, rejected, fallbacks, 0, 0, 0, 0);
    }

    /** Whether reads of this file are tried. */
    public boolean usable() {
        return !breaker.equals("open");
    }
}

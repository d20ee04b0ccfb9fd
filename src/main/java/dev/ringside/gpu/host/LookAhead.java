package dev.ringside.gpu.host;

import static dev.ringside.gpu.host.HostMemory.ALL;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

/**
 * Reads a little of memory that a worker will read as a whole soon. Prefetchers of x86 processors follow a stream of reads within a page of
 * 4 KiB and begin anew in the next, where the first few lines are waited for; multiplying stored rows then takes as long as computing and
 * reading together (Q4_K, one row of activations: 4.2 GB/s from memory, 7.5 from the cache). When the first lines of several pages are read
 * at once, they are waited for once, and the prefetchers have their streams: 5.5 GB/s.
 */
final class LookAhead {

    /** Bytes between two looks. */
    static final int SPAN = 16_384;
    /** With fewer lines prefetchers see no stream, with more reads wait for each other. */
    static final int LINES = 4;
    private static final int LINE = 64;
    private static final int PAGE = 4096;

    private long ahead;
    private long sum;

    /** Forgets what was read: to be called when a task begins. */
    void begin() {
        ahead = 0;
    }

    /**
     * To be called before memory is read from {@code at} on.
     *
     * @param at address
     * @param end how far the worker will read on from there, without a gap
     */
    void toward(long at, long end) {
        boolean fresh = at > ahead || ahead > end;
        long from = fresh ? at : ahead;
        long to = Math.min(end, at + 2 * SPAN);
        if (to - from >= SPAN || to == end && from < to) {
            sum += fresh ? firstLines(from, to) + pages(from + 1, to) : pages(from, to);
            ahead = to;
        }
    }

    /** What the bytes read so far add up to: as long as that is to be had, they are read. */
    long sum() {
        return sum;
    }

    /** Reads the first lines of each page that begins in the range. */
    private static long pages(long from, long to) {
        long read = 0;
        for (long page = from + PAGE - 1 & -PAGE; page < to; page += PAGE) {
            read += firstLines(page, to);
        }
        return read;
    }

    private static long firstLines(long from, long to) {
        long read = 0;
        long end = Math.min(to, from + LINES * LINE);
        for (long at = from; at < end; at += LINE) {
            read += ALL.get(JAVA_BYTE, at);
        }
        return read;
    }
}

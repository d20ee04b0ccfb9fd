package dev.ringside.expert;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a line for each gather, flushed at once: microseconds since the trace began, layer, misses, evictions, microseconds waited, experts
 * that look-ahead had brought, and the distinct experts asked for. {@link RoutingTrace} reads it. A disk that fills up ends the trace and
 * nothing else.
 */
final class FetchTrace implements AutoCloseable {

    /** First line of a trace. */
    static final String HEADER = "# ringside trace 1: micros layer misses evictions waited-micros prefetched experts...";

    private static final Logger LOG = LoggerFactory.getLogger(FetchTrace.class);

    private final Path file;
    private final StringBuilder line = new StringBuilder();
    private final long epoch = System.nanoTime();
    private @Nullable Writer out;
    private long evictions;
    private long waitNanos;
    private long prefetched;

    private FetchTrace(Path file, Writer out) {
        this.file = file;
        this.out = out;
    }

    /**
     * Begins a trace; an existing file is replaced.
     *
     * @throws IllegalArgumentException naming the property when the file cannot be written
     */
    static FetchTrace open(Path file) {
        try {
            Writer out = Files.newBufferedWriter(file);
            out.write(HEADER + '\n');
            out.flush();
            return new FetchTrace(file, out);
        } catch (IOException e) {
            throw new IllegalArgumentException("ringside.experts.trace-file: " + file + " cannot be written: " + e, e);
        }
    }

    void begin(ExpertStatistics statistics) {
        evictions = statistics.evictions();
        waitNanos = statistics.waitNanos();
        prefetched = statistics.prefetchUsed();
    }

    void end(int layer, GatherPlan plan, ExpertStatistics statistics) {
        if (out == null) {
            return;
        }
        line.setLength(0);
        line.append((System.nanoTime() - epoch) / 1000).append(' ').append(layer).append(' ').append(plan.misses).append(' ')
                .append(statistics.evictions() - evictions).append(' ').append((statistics.waitNanos() - waitNanos) / 1000).append(' ')
                .append(statistics.prefetchUsed() - prefetched);
        for (int i = 0; i < plan.distinctCount; i++) {
            line.append(' ').append(plan.distinct[i]);
        }
        line.append('\n');
        try {
            out.append(line);
            out.flush();
        } catch (IOException e) {
            LOG.warn("ringside.experts.trace-file: {} cannot be written any more and ends here: {}", file, e.toString());
            abandon();
        }
    }

    private void abandon() {
        try {
            close();
        } catch (UncheckedIOException e) {
            LOG.debug("{} did not close", file, e);
        }
    }

    @Override
    public void close() {
        Writer open = out;
        out = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

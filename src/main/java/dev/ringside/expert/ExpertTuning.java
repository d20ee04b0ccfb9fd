package dev.ringside.expert;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the expert tier that change how fast it is and what it records, never what a model computes.
 *
 * @param reads how experts are read from files
 * @param hostTier size of the page-locked tier between files and a device arena; a pinned arena has none
 * @param lookahead whether the experts that the next layer will probably want are read while this layer is computed
 * @param hotListFile where the experts worth having are kept from one run to the next, or null
 * @param traceFile where every gather is written down, or null
 */
public record ExpertTuning(ReadOptions reads, HostTierSize hostTier, boolean lookahead, @Nullable Path hotListFile,
        @Nullable Path traceFile) {

    /** Buffered or direct by size, no host tier, look-ahead on, no files. */
    public static final ExpertTuning DEFAULT = new ExpertTuning(ReadOptions.DEFAULT, HostTierSize.NONE, true, null, null);

    public ExpertTuning withReads(ReadOptions options) {
        return new ExpertTuning(options, hostTier, lookahead, hotListFile, traceFile);
    }

    public ExpertTuning withHostTier(HostTierSize size) {
        return new ExpertTuning(reads, size, lookahead, hotListFile, traceFile);
    }

    public ExpertTuning withLookahead(boolean on) {
        return new ExpertTuning(reads, hostTier, on, hotListFile, traceFile);
    }

    public ExpertTuning withHotListFile(@Nullable Path file) {
        return new ExpertTuning(reads, hostTier, lookahead, file, traceFile);
    }

    public ExpertTuning withTraceFile(@Nullable Path file) {
        return new ExpertTuning(reads, hostTier, lookahead, hotListFile, file);
    }
}

package dev.ringside.config;

import dev.ringside.download.DownloadProgress;
import dev.ringside.download.DownloadProgress.Phase;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes to the log how far a download is, every few seconds. Called by one thread. */
final class DownloadLog implements Consumer<DownloadProgress> {

    private static final Logger LOG = LoggerFactory.getLogger(DownloadLog.class);
    private static final long INTERVAL_NANOS = 5_000_000_000L;

    private long loggedAt = System.nanoTime() - INTERVAL_NANOS;
    private @Nullable Phase phase;

    @Override
    public void accept(DownloadProgress progress) {
        boolean begins = progress.phase() != phase && (progress.phase() == Phase.DOWNLOADING || progress.phase() == Phase.WAITING);
        phase = progress.phase();
        long now = System.nanoTime();
        if (progress.phase() != Phase.DONE && (begins || now - loggedAt >= INTERVAL_NANOS)) {
            loggedAt = now;
            LOG.info("{}: {}", progress.source(), progress.text());
        }
    }
}

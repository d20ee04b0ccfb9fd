package dev.ringside.config;

import dev.ringside.model.LoadProgress;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes to the log how far the weights of a model are, every few seconds; a short load writes nothing. Called by one thread. */
final class LoadLog implements LoadProgress.Listener {

    static final long INTERVAL_NANOS = 5_000_000_000L;
    private static final Logger LOG = LoggerFactory.getLogger(LoadLog.class);

    private final LongSupplier clock;
    private long loggedAt;

    /** @param clock nanoseconds, from any origin */
    LoadLog(LongSupplier clock) {
        this.clock = clock;
        this.loggedAt = clock.getAsLong();
    }

    @Override
    public void progressed(LoadProgress now) {
        long time = clock.getAsLong();
        // Pre-warming has a line of its own.
        if (now.phase() == LoadProgress.Phase.WEIGHTS && now.done() < now.total() && time - loggedAt >= INTERVAL_NANOS) {
            loggedAt = time;
            LOG.info("Model: {}", now.text());
        }
    }
}

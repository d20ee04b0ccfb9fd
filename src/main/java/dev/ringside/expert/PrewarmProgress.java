package dev.ringside.expert;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Says now and then how far a long pre-warming is; a short one says nothing. */
final class PrewarmProgress {

    /** Shortest time between two lines. */
    static final Duration INTERVAL = Duration.ofSeconds(5);

    private final LongSupplier clock;
    private final int total;
    private long last;
    private int done;

    /**
     * @param clock nanoseconds, from any origin
     * @param total experts to bring in
     */
    PrewarmProgress(LongSupplier clock, int total) {
        this.clock = clock;
        this.total = total;
        this.last = clock.getAsLong();
    }

    /** So many more experts are done; the line to log, if it is time for one. The last experts need none. */
    Optional<String> advance(int experts) {
        done += experts;
        long now = clock.getAsLong();
        if (done >= total || now - last < INTERVAL.toNanos()) {
            return Optional.empty();
        }
        last = now;
        return Optional.of(String.format(Locale.ROOT, "Pre-warming experts: %,d of %,d", done, total));
    }
}

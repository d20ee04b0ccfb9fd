package dev.ringside.expert;

import java.time.Clock;
import java.time.Duration;

/**
 * How experts are read from files.
 *
 * @param direct past the page cache or through it
 * @param keepPageCache whether buffered reads leave their bytes in the page cache; otherwise they are dropped behind the read, since the
 *        expert is kept in a slot. Bytes that a model keeps mapped stay in any case
 * @param retries how often a transient fault is tried again
 * @param firstBackoff pause before the first retry; each further one is twice as long
 * @param openFor how long a shard that failed repeatedly is left alone before a probe
 * @param clock time of the circuit breakers
 */
public record ReadOptions(DirectReads direct, boolean keepPageCache, int retries, Duration firstBackoff, Duration openFor, Clock clock) {

    /** Chooses by itself between direct and buffered; three retries within 70 ms; 5 s of rest for a shard that fails. */
    public static final ReadOptions DEFAULT = new ReadOptions(DirectReads.AUTO, false, 3, Duration.ofMillis(10), Duration.ofSeconds(5),
            Clock.systemUTC());

    public ReadOptions {
        if (retries < 0 || firstBackoff.isNegative() || openFor.isNegative()) {
            throw new IllegalArgumentException("Retries and pauses of expert reads cannot be negative");
        }
    }

    public ReadOptions withDirect(DirectReads how) {
        return new ReadOptions(how, keepPageCache, retries, firstBackoff, openFor, clock);
    }

    public ReadOptions withKeepPageCache(boolean keep) {
        return new ReadOptions(direct, keep, retries, firstBackoff, openFor, clock);
    }

    public ReadOptions withRetries(int count, Duration pause) {
        return new ReadOptions(direct, keepPageCache, count, pause, openFor, clock);
    }

    public ReadOptions withOpenFor(Duration rest, Clock time) {
        return new ReadOptions(direct, keepPageCache, retries, firstBackoff, rest, time);
    }
}

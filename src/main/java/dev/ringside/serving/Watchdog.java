package dev.ringside.serving;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices a step that does not end: a hung device call, a file system that does not answer, a defect. It writes one line with the stacks of all
 * threads for each such step, counts it, and from then on reports the engine as not to be trusted, also when the step ends at last. Looks when
 * it is asked to, by one thread.
 */
public final class Watchdog {

    private static final Logger log = LoggerFactory.getLogger(Watchdog.class);

    private final LongSupplier stepNanos;
    private final long limitNanos;
    private final Supplier<String> stacks;
    private volatile long stuckSteps;
    private boolean reported;

    /**
     * @param stepNanos how long the step at hand has lasted, 0 when there is none
     * @param stuckAfter longer ones are stuck; zero watches nothing
     */
    public Watchdog(LongSupplier stepNanos, Duration stuckAfter) {
        this(stepNanos, stuckAfter, ThreadStacks::all);
    }

    Watchdog(LongSupplier stepNanos, Duration stuckAfter, Supplier<String> stacks) {
        this.stepNanos = stepNanos;
        this.limitNanos = stuckAfter.toNanos();
        this.stacks = stacks;
    }

    /** Looks at the step at hand. */
    public void look() {
        long lasted = stepNanos.getAsLong();
        if (limitNanos == 0 || lasted < limitNanos) {
            reported = false;
        } else if (!reported) {
            reported = true;
            stuckSteps = stuckSteps + 1;
            log.error(
                    "A step has lasted {} s, more than ringside.watchdog.stuck-after allows ({} s). Readiness is down from now on until the "
                            + "server is started again. Stacks of all threads:\n{}",
                    lasted / 1_000_000_000, limitNanos / 1_000_000_000, stacks.get());
        }
    }

    /** Whether there has been a stuck step. */
    public boolean isTripped() {
        return stuckSteps > 0;
    }

    /** Steps that were stuck since the start. */
    public long stuckSteps() {
        return stuckSteps;
    }
}

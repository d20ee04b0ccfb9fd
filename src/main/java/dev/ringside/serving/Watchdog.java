package dev.ringside.serving;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices a step that does not end: a hung device call, a file system that does not answer, a defect. It writes one line with the stacks of all
 * threads for each such step, counts it, and reports the engine as stuck until the step ends at last. Looks when it is asked to, by one thread.
 */
public final class Watchdog {

    private static final Logger log = LoggerFactory.getLogger(Watchdog.class);

    private final LongSupplier stepNanos;
    private final long limitNanos;
    private final Supplier<String> stacks;
    private volatile long stuckSteps;
    private volatile boolean stuck;

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
            if (stuck) {
                stuck = false;
                log.warn("The step that was stuck has ended, and the server is ready again");
            }
        } else if (!stuck) {
            stuck = true;
            stuckSteps = stuckSteps + 1;
            log.error(
                    "A step has lasted {} s, more than ringside.watchdog.stuck-after allows ({} s). Readiness is down until the step "
                            + "ends. Stacks of all threads:\n{}",
                    lasted / 1_000_000_000, limitNanos / 1_000_000_000, stacks.get());
        }
    }

    /** Whether the step at hand is stuck, as of the last look. */
    public boolean isTripped() {
        return stuck;
    }

    /** Steps that were stuck since the start. */
    public long stuckSteps() {
        return stuckSteps;
    }
}

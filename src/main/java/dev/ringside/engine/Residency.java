package dev.ringside.engine;

import dev.ringside.engine.ActiveGeneration.Phase;
import dev.ringside.gpu.KvType;
import dev.ringside.sequence.Checkpoint;
import dev.ringside.sequence.CheckpointIdentity;
import dev.ringside.sequence.PrefixStore;
import dev.ringside.sequence.SequenceState;
import dev.ringside.sequence.StateExhaustedException;
import dev.ringside.sequence.StatePool;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whose state is on the device. A request starts when there is room for its prompt; when running ones outgrow the device, the one
 * with the lowest claim is suspended into host memory and resumed when there is room again. The claim of a request is its age, so the
 * oldest one always runs, and everyone becomes the oldest in time. Batch requests have a lower one than interactive ones and are suspended for
 * them too, when these would have to wait for a place or for memory, but not for ever.
 */
final class Residency {

    private static final Logger log = LoggerFactory.getLogger(InferenceEngine.class);
    /** Steps before who was started or resumed is suspended again, as long as there is somebody else. */
    static final int MINIMUM_RUN = 32;
    /** How long a batch request stays suspended for interactive ones before it yields to nobody any more. */
    static final long PATIENCE_NANOS = 60_000_000_000L;
    /** Never leaves the process. */
    private static final CheckpointIdentity IDENTITY = new CheckpointIdentity(0, KvType.F16);

    private final StatePool pool;
    private final Prefixes prefixes;
    private final Outcome outcome;
    private final EngineCounters counters;
    private final int stepTokens;
    private final LongSupplier clock;

    /** @param clock nanoseconds that only grow */
    Residency(StatePool pool, Prefixes prefixes, Outcome outcome, EngineCounters counters, int stepTokens, LongSupplier clock) {
        this.clock = clock;
        this.pool = pool;
        this.prefixes = prefixes;
        this.outcome = outcome;
        this.counters = counters;
        this.stepTokens = stepTokens;
    }

    /** Gives a waiting request its state; false when it has to wait. It may have failed afterwards. */
    boolean start(ActiveGeneration generation, List<ActiveGeneration> active) {
        int positions = generation.maxPositions();
        if (!active.isEmpty() && !fits(pagesToStart(generation) - prefixes.pagesInUse(generation.request.prompt()), active)) {
            return false;
        }
        SequenceState state;
        try {
            state = active.isEmpty() ? pool.acquire(positions) : pool.tryAcquire(positions);
        } catch (RuntimeException e) {
            outcome.fail(generation, Failures.of(e));
            return true;
        }
        if (state == null) {
            return false;
        }
        generation.state = state;
        generation.phase = Phase.ACTIVE;
        counters.waiting.decrementAndGet();
        enter(generation, active);
        prefixes.start(generation);
        return true;
    }

    /** Lets those that were suspended for too long yield to nobody any more. */
    void losePatience(List<ActiveGeneration> suspended) {
        long now = clock.getAsLong();
        for (int i = 0; i < suspended.size(); i++) {
            ActiveGeneration generation = suspended.get(i);
            generation.patienceLost |= now - generation.suspendedAt >= PATIENCE_NANOS;
        }
    }

    /** Brings a suspended request back; false when it has to wait. It may have failed afterwards. */
    boolean resume(ActiveGeneration generation, List<ActiveGeneration> active) {
        Checkpoint checkpoint = generation.checkpoint;
        int position = checkpoint == null ? 0 : checkpoint.position();
        int soon = Math.min(generation.maxPositions(), Math.max(position + MINIMUM_RUN, generation.request.prompt().length));
        if (!active.isEmpty() && !fits(pool.layout().pagesFor(soon) + 1, active)) {
            return false;
        }
        @Nullable SequenceState state = null;
        try {
            state = active.isEmpty() ? pool.acquire(generation.maxPositions()) : pool.tryAcquire(generation.maxPositions());
            if (state == null) {
                return false;
            }
            if (checkpoint != null && position > 0) {
                PrefixStore store = prefixes.store();
                if (store == null) {
                    checkpoint.restore(state, IDENTITY);
                } else {
                    store.restore(state, checkpoint, IDENTITY);
                }
            }
        } catch (RuntimeException e) {
            if (state != null) {
                state.close();
            }
            if (e instanceof StateExhaustedException && !active.isEmpty()) {
                return false;
            }
            outcome.fail(generation, Failures.of(e));
            return true;
        }
        generation.state = state;
        generation.phase = Phase.ACTIVE;
        counters.addSuspended(-1);
        enter(generation, active);
        return true;
    }

    private void enter(ActiveGeneration generation, List<ActiveGeneration> active) {
        generation.stepsRun = 0;
        counters.addActive(1);
        active.add(generation);
    }

    /** Suspends requests until the others have the pages for a step. */
    void makeRoom(List<ActiveGeneration> active, List<ActiveGeneration> suspended) {
        if (mostForStep(active) <= pool.availablePages()) {
            return;
        }
        if (neededForStep(active) > pool.availablePages()) {
            for (int i = 0; i < active.size(); i++) {
                active.get(i).draftCount = 0;
            }
        }
        while (active.size() > 1 && neededForStep(active) > pool.availablePages()) {
            ActiveGeneration victim = lowestClaim(active);
            active.remove(victim);
            if (suspend(victim)) {
                suspended.add(victim);
            }
        }
    }

    private static ActiveGeneration lowestClaim(List<ActiveGeneration> active) {
        ActiveGeneration highest = active.getFirst();
        ActiveGeneration lowest = highest;
        ActiveGeneration rested = null;
        for (ActiveGeneration generation : active) {
            highest = generation.outranks(highest) ? generation : highest;
            lowest = lowest.outranks(generation) ? generation : lowest;
        }
        for (ActiveGeneration generation : active) {
            if (generation != highest && generation.stepsRun >= MINIMUM_RUN && (rested == null || rested.outranks(generation))) {
                rested = generation;
            }
        }
        return rested == null ? lowest : rested;
    }

    /**
     * Suspends requests that yield, after their minimum run, so that one that does not yield can start. Nothing happens when that would not be
     * enough.
     *
     * @param places most active requests
     */
    boolean makeWay(ActiveGeneration generation, List<ActiveGeneration> active, List<ActiveGeneration> suspended, int places) {
        if (generation.yields() || !anyYields(active)) {
            return false;
        }
        long needed = pagesToStart(generation) - prefixes.pagesInUse(generation.request.prompt());
        List<ActiveGeneration> staying = new ArrayList<>(active);
        List<ActiveGeneration> leaving = new ArrayList<>();
        long freed = 0;
        while (staying.size() >= places || !fits(needed - freed, staying)) {
            ActiveGeneration next = null;
            for (ActiveGeneration each : staying) {
                if (each.yields() && each.stepsRun >= MINIMUM_RUN && (next == null || next.outranks(each))) {
                    next = each;
                }
            }
            if (next == null) {
                return false;
            }
            staying.remove(next);
            leaving.add(next);
            freed += next.requireState().pageCount();
        }
        for (ActiveGeneration each : leaving) {
            active.remove(each);
            if (suspend(each)) {
                suspended.add(each);
            }
        }
        return !leaving.isEmpty();
    }

    private static boolean anyYields(List<ActiveGeneration> active) {
        for (int i = 0; i < active.size(); i++) {
            if (active.get(i).yields() && active.get(i).stepsRun >= MINIMUM_RUN) {
                return true;
            }
        }
        return false;
    }

    /** False when its state could not be saved, and it has failed. */
    private boolean suspend(ActiveGeneration generation) {
        SequenceState state = generation.requireState();
        Checkpoint memory = generation.checkpoint;
        generation.checkpoint = null;
        try {
            generation.checkpoint = memory == null ? Checkpoint.save(state, IDENTITY) : memory.saveInto(state, IDENTITY);
        } catch (RuntimeException | OutOfMemoryError e) {
            outcome.fail(generation, Failures.of(e));
            return false;
        }
        state.close();
        generation.state = null;
        generation.phase = Phase.SUSPENDED;
        generation.suspendedAt = clock.getAsLong();
        counters.addActive(-1);
        counters.addSuspended(1);
        log.debug("{} is suspended at {} tokens", generation.id(), generation.requireCheckpoint().position());
        return true;
    }

    /** Whether so many more pages are there beside those that running requests will take for their prompts and the next tokens. */
    private boolean fits(long pages, List<ActiveGeneration> active) {
        long promised = 0;
        for (ActiveGeneration generation : active) {
            promised += Math.max(0, pagesToStart(generation) - generation.requireState().pageCount());
        }
        return promised + pages <= pool.availablePages();
    }

    /** Pages of a prompt and of the first tokens behind it. */
    private long pagesToStart(ActiveGeneration generation) {
        int length = generation.request.prompt().length;
        return Math.min(pool.layout().pagesFor(generation.maxPositions()), pool.layout().pagesFor(length) + 1);
    }

    /** At least what the next step takes, told without looking at each sequence's pages: nearly always there are more. */
    private long mostForStep(List<ActiveGeneration> active) {
        long pages = 0;
        for (int i = 0; i < active.size(); i++) {
            // One of them may have to be copied.
            pages += pool.layout().pagesFor(rowsOf(active.get(i))) + 1;
        }
        return pages;
    }

    private long neededForStep(List<ActiveGeneration> active) {
        long pages = 0;
        for (int i = 0; i < active.size(); i++) {
            ActiveGeneration generation = active.get(i);
            pages += generation.requireState().pagesNeeded(rowsOf(generation));
        }
        return pages;
    }

    private int rowsOf(ActiveGeneration generation) {
        return generation.inPrompt() ? Math.min(generation.promptLeft(), stepTokens) : 1 + generation.draftCount;
    }
}

package dev.ringside.engine;

import dev.ringside.engine.GenerationException.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the engine thread does: takes requests in, drops cancelled ones, resumes suspended ones, gives free places to those that wait, runs a
 * step.
 */
final class EngineLoop implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(InferenceEngine.class);

    /** How long an idle engine sleeps before it looks for prefixes that are out of date. */
    private static final long NAP_NANOS = 30_000_000_000L;

    private static final Comparator<ActiveGeneration> BY_CLAIM = Comparator.comparing(ActiveGeneration::yields)
            .thenComparingLong(generation -> generation.arrival);

    private final Residency residency;
    private final StepRunner step;
    private final Prefixes prefixes;
    private final Outcome outcome;
    private final EngineCounters counters;
    private final int maxActive;
    private final Runnable atEnd;
    private final ConcurrentLinkedQueue<ActiveGeneration> inbox = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Runnable> errands = new ConcurrentLinkedQueue<>();
    /** Those with the higher claim in front, as below. */
    private final List<ActiveGeneration> waiting = new ArrayList<>();
    private final List<ActiveGeneration> suspended = new ArrayList<>();
    private final List<ActiveGeneration> active = new ArrayList<>();
    private long arrivals;
    private volatile boolean closing;
    private volatile boolean terminated;

    /** @param atEnd gives back what the engine holds, on the engine thread, after the last generation has ended */
    EngineLoop(Residency residency, StepRunner step, Prefixes prefixes, Outcome outcome, EngineCounters counters, int maxActive,
            Runnable atEnd) {
        this.residency = residency;
        this.step = step;
        this.prefixes = prefixes;
        this.outcome = outcome;
        this.counters = counters;
        this.maxActive = maxActive;
        this.atEnd = atEnd;
    }

    /** From any thread; the caller wakes the engine. False when the engine has ended, and the listener hears nothing. */
    boolean offer(ActiveGeneration generation) {
        if (closing || terminated) {
            return false;
        }
        counters.waiting.incrementAndGet();
        inbox.add(generation);
        // Either the engine's last look into the inbox comes after this and ends the generation, or it is taken back here.
        if (terminated && inbox.remove(generation)) {
            counters.waiting.decrementAndGet();
            return false;
        }
        return true;
    }

    /** Has something done on the engine thread between two steps. From any thread; the caller wakes the engine. False when it has ended. */
    boolean offer(Runnable errand) {
        if (closing || terminated) {
            return false;
        }
        errands.add(errand);
        return !terminated || !errands.remove(errand);
    }

    /** From any thread; the caller wakes the engine. */
    void close() {
        closing = true;
    }

    boolean isTerminated() {
        return terminated;
    }

    @Override
    public void run() {
        GenerationException reason = new GenerationException(Kind.SHUTDOWN, "The server is shutting down");
        try {
            while (!closing) {
                turn();
            }
        } catch (Throwable fatal) {
            log.error("The engine stopped and takes no more requests", fatal);
            reason = new GenerationException(Kind.INTERNAL, "The engine stopped: " + fatal, fatal);
        } finally {
            terminated = true;
            counters.idle();
            endAll(reason);
            atEnd.run();
        }
    }

    private void turn() {
        counters.turnBegins(System.nanoTime());
        receive();
        runErrands();
        dropLeaving(waiting);
        dropLeaving(suspended);
        dropLeaving(active);
        resume();
        admit();
        if (active.isEmpty()) {
            if (inbox.isEmpty() && errands.isEmpty() && !closing) {
                counters.idle();
                LockSupport.parkNanos(this, NAP_NANOS);
                prefixes.expire();
            }
            return;
        }
        if (active.size() > 1) {
            residency.makeRoom(active, suspended);
            suspended.sort(BY_CLAIM);
        }
        step.run(active);
        removeEnded(active);
    }

    private void runErrands() {
        for (Runnable errand = errands.poll(); errand != null; errand = errands.poll()) {
            errand.run();
        }
    }

    private void receive() {
        for (ActiveGeneration generation = inbox.poll(); generation != null; generation = inbox.poll()) {
            generation.arrival = arrivals++;
            int at = waiting.size();
            while (at > 0 && generation.outranks(waiting.get(at - 1))) {
                at--;
            }
            waiting.add(at, generation);
        }
    }

    private void dropLeaving(List<ActiveGeneration> generations) {
        boolean found = false;
        for (int i = 0; i < generations.size(); i++) {
            ActiveGeneration generation = generations.get(i);
            if (generation.isCancelled()) {
                outcome.cancelled(generation);
                found = true;
            } else if (generation.isFinishing()) {
                outcome.complete(generation, FinishReason.LENGTH);
                found = true;
            }
        }
        if (found) {
            removeEnded(generations);
        }
    }

    /** Those that were suspended go on before anybody new starts, but those that yield not before others that wait. */
    private void resume() {
        if (suspended.isEmpty()) {
            return;
        }
        residency.losePatience(suspended);
        suspended.sort(BY_CLAIM);
        while (!suspended.isEmpty() && active.size() < maxActive && !yieldsToWaiting(suspended.getFirst())
                && residency.resume(suspended.getFirst(), active)) {
            suspended.removeFirst();
        }
    }

    private boolean yieldsToWaiting(ActiveGeneration generation) {
        return generation.yields() && !waiting.isEmpty() && !waiting.getFirst().yields();
    }

    /**
     * First come, first served: who finds no room makes those behind wait too. Only a prompt that a running one is about to compute the
     * beginning of lets others pass, and batch requests let interactive ones.
     */
    private void admit() {
        int next = 0;
        while (next < waiting.size()) {
            ActiveGeneration generation = waiting.get(next);
            boolean mayStart = suspended.isEmpty() || !generation.yields() && suspended.getFirst().yields();
            if (!mayStart) {
                return;
            }
            if (prefixes.isWorthWaiting(generation, active)) {
                next++;
            } else if (start(generation)) {
                waiting.remove(next);
            } else {
                return;
            }
        }
    }

    private boolean start(ActiveGeneration generation) {
        if (active.size() < maxActive && residency.start(generation, active)) {
            return true;
        }
        boolean room = residency.makeWay(generation, active, suspended, maxActive);
        suspended.sort(BY_CLAIM);
        return room && residency.start(generation, active);
    }

    private static void removeEnded(List<ActiveGeneration> generations) {
        int kept = 0;
        for (int i = 0; i < generations.size(); i++) {
            ActiveGeneration generation = generations.get(i);
            if (generation.ended) {
                continue;
            }
            if (kept < i) {
                generations.set(kept, generation);
            }
            kept++;
        }
        while (generations.size() > kept) {
            generations.removeLast();
        }
    }

    private void endAll(GenerationException reason) {
        receive();
        active.addAll(suspended);
        suspended.clear();
        active.addAll(waiting);
        waiting.clear();
        for (ActiveGeneration generation : active) {
            if (generation.isCancelled()) {
                outcome.cancelled(generation);
            } else {
                outcome.fail(generation, reason);
            }
        }
        active.clear();
        runErrands();
    }
}

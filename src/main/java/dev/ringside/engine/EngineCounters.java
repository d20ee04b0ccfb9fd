package dev.ringside.engine;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What the engine thread counts and others read. Only {@link #waiting} has more than one writer. */
final class EngineCounters {

    private static final long IDLE = Long.MIN_VALUE;

    final AtomicInteger waiting = new AtomicInteger();
    final SpeculationCounters speculation;

    private final AtomicInteger active = new AtomicInteger();
    private final AtomicInteger suspended = new AtomicInteger();
    private final AtomicLong suspensions = new AtomicLong();
    private final AtomicLong steps = new AtomicLong();
    private final AtomicLong promptTokens = new AtomicLong();
    private final AtomicLong generatedTokens = new AtomicLong();
    private final AtomicInteger stepRows = new AtomicInteger();
    private final AtomicLong lastStepNanos = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicInteger failedSteps = new AtomicInteger();
    private final AtomicLong turnBegan = new AtomicLong(IDLE);
    private final AtomicInteger promptBudget = new AtomicInteger();
    private volatile @Nullable String lastFailure;

    /** @param maxDrafts most drafts of a sequence in a step, 0 without any */
    EngineCounters(int maxDrafts) {
        this.speculation = new SpeculationCounters(maxDrafts);
    }

    void addActive(int change) {
        active.setRelease(active.getPlain() + change);
    }

    void addSuspended(int change) {
        suspended.setRelease(suspended.getPlain() + change);
        if (change > 0) {
            suspensions.setRelease(suspensions.getPlain() + change);
        }
    }

    /** The engine looks after its requests from here on; a step and all that belongs to it is one turn. */
    void turnBegins(long now) {
        turnBegan.setRelease(now);
    }

    void idle() {
        turnBegan.setRelease(IDLE);
    }

    private long turnNanos() {
        long began = turnBegan.getAcquire();
        return began == IDLE ? 0 : Math.max(0, System.nanoTime() - began);
    }

    void promptBudget(int rows) {
        promptBudget.setRelease(rows);
    }

    void step(int rows, long nanos) {
        steps.setRelease(steps.getPlain() + 1);
        stepRows.setRelease(rows);
        lastStepNanos.setRelease(nanos);
    }

    void forwardSucceeded() {
        if (failedSteps.getPlain() != 0) {
            failedSteps.setRelease(0);
        }
    }

    void forwardFailed() {
        failedSteps.setRelease(failedSteps.getPlain() + 1);
    }

    void addPromptTokens(int tokens) {
        promptTokens.setRelease(promptTokens.getPlain() + tokens);
    }

    void addGeneratedTokens(int tokens) {
        generatedTokens.setRelease(generatedTokens.getPlain() + tokens);
    }

    void failed(String message) {
        lastFailure = message;
        failures.setRelease(failures.getPlain() + 1);
    }

    EngineSnapshot snapshot(int maxActive, boolean alive) {
        return new EngineSnapshot(active.getAcquire(), waiting.get(), suspended.getAcquire(), suspensions.getAcquire(), maxActive,
                steps.getAcquire(), promptTokens.getAcquire(),
                generatedTokens.getAcquire(), stepRows.getAcquire(), lastStepNanos.getAcquire(), failures.getAcquire(),
                failedSteps.getAcquire(), lastFailure, alive, turnNanos(), promptBudget.getAcquire(), speculation.snapshot());
    }
}

package dev.ringside.ops;

import dev.ringside.engine.EngineSnapshot;
import dev.ringside.engine.SpeculationSnapshot;
import dev.ringside.serving.SchedulerSnapshot;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.stereotype.Component;

/** {@code /actuator/scheduler}: requests that run and wait, and what the engine has computed. */
@Component
@Endpoint(id = "scheduler")
final class SchedulerEndpoint {

    private final EngineViews views;

    SchedulerEndpoint(EngineViews views) {
        this.views = views;
    }

    /** Requests as JSON; the fields mean what they mean in the snapshot. */
    record Descriptor(int active, int queued, int suspended, int maxActive, int queueCapacity, boolean accepting, long rejected,
            long cancelled, long completed, long failed, long queuedTokens, long queueTokens, String breaker, long stuckSteps,
            EngineDescriptor engine) {}

    /**
     * The engine below.
     *
     * @param active sequences that have state on the device
     * @param waiting requests handed over and not yet active
     * @param stepRows rows of the last step
     * @param lastStepMillis its duration
     * @param promptBudget prompt rows that the last step with some was allowed
     * @param speculation drafts made and accepted, by position too
     */
    record EngineDescriptor(boolean alive, int active, int waiting, long steps, int stepRows, double lastStepMillis, long promptTokens,
            long generatedTokens, int promptBudget, SpeculationSnapshot speculation) {}

    @ReadOperation
    Descriptor scheduler() {
        SchedulerSnapshot now = views.scheduler().get();
        EngineSnapshot engine = views.engine().get();
        return new Descriptor(now.active(), now.queued(), now.suspended(), now.maxActive(), now.queueCapacity(), now.accepting(),
                now.rejected(), now.cancelled(), now.completed(), now.failed(), now.queuedTokens(), now.queueTokens(), now.breaker(),
                views.watchdog().stuckSteps(),
                new EngineDescriptor(engine.alive(), engine.active(), engine.waiting(), engine.steps(), engine.stepRows(),
                        Math.round(engine.lastStepNanos() / 1e3) / 1e3, engine.promptTokens(), engine.generatedTokens(),
                        engine.promptBudget(), engine.speculation()));
    }
}

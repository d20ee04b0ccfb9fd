package dev.ringside.engine;

import org.jspecify.annotations.Nullable;

/**
 * What an engine is doing and has done. Each figure is exact, but figures of one snapshot may be a step apart. Warm-up is not counted.
 *
 * @param active sequences that have state on the device
 * @param waiting requests submitted and not yet active
 * @param suspended requests whose state was moved out of the device, to be resumed
 * @param suspensions how often that was done
 * @param maxActive most sequences active at a time
 * @param steps steps computed
 * @param promptTokens prompt rows computed
 * @param generatedTokens tokens sampled and kept, end tokens not counted
 * @param stepRows rows of the last step
 * @param lastStepNanos duration of the last step, sampling and delivery included
 * @param failures requests that ended with an error
 * @param consecutiveFailedSteps steps that failed since the last one that did not
 * @param lastFailure what the last failed request was told, or null
 * @param alive whether the engine thread runs and takes requests
 * @param turnNanos how long the step at hand, with all that belongs to it, has lasted by now; 0 when there is none
 * @param promptBudget prompt rows that the last step with some was allowed
 * @param speculation what drafting has brought
 */
public record EngineSnapshot(int active, int waiting, int suspended, long suspensions, int maxActive, long steps, long promptTokens,
        long generatedTokens, int stepRows,
        long lastStepNanos, long failures, int consecutiveFailedSteps, @Nullable String lastFailure, boolean alive, long turnNanos,
        int promptBudget, SpeculationSnapshot speculation) {}

package dev.ringside.model;

import dev.ringside.expert.ExpertFetcher;
import dev.ringside.expert.ExpertMap;
import dev.ringside.expert.ExpertSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * A model and the expert memory under it.
 *
 * @param model computes steps
 * @param experts the experts' residency, also for statistics; null for a dense model
 */
public record LoadedModel(LanguageModel model, @Nullable ExpertFetcher experts) implements AutoCloseable {

    /** The expert tier now, from any thread; all zeros for a dense model. */
    public ExpertSnapshot expertSnapshot() {
        return experts == null ? ExpertSnapshot.NONE : experts.snapshot();
    }

    /** Where each expert is, from any thread; empty for a dense model. */
    public ExpertMap expertMap() {
        return experts == null ? ExpertMap.NONE : experts.map();
    }

    /** Waits for reads and copies and frees everything, also when one of the parts fails to close. Not while a step runs. */
    @Override
    public void close() {
        try (model; experts) {
            // Closed in reverse: experts first, since they wait for the model's stream.
        }
    }
}

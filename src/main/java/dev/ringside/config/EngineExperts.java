package dev.ringside.config;

import dev.ringside.engine.InferenceEngine;
import dev.ringside.expert.ExpertFetcher;
import dev.ringside.ops.ExpertOperations;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks the fetcher, whose next gather does it; and the engine, so that it is done without one too.
 *
 * @param experts null for a dense model
 */
record EngineExperts(@Nullable ExpertFetcher experts, InferenceEngine engine) implements ExpertOperations {

    @Override
    public int minimumSlots() {
        return experts == null ? 0 : experts.minimumSlots();
    }

    @Override
    public @Nullable Path hotListFile() {
        return experts == null ? null : experts.hotListFile();
    }

    @Override
    public CompletableFuture<Integer> resize(int slots) {
        return ask(fetcher -> fetcher.resize(slots));
    }

    @Override
    public CompletableFuture<Integer> saveHotList(Path file) {
        return ask(fetcher -> fetcher.saveHotList(file));
    }

    private CompletableFuture<Integer> ask(Function<ExpertFetcher, CompletableFuture<Integer>> request) {
        ExpertFetcher fetcher = experts;
        if (fetcher == null) {
            return CompletableFuture.failedFuture(new IllegalStateException("The model has no routed experts"));
        }
        CompletableFuture<Integer> answer = request.apply(fetcher);
        if (!engine.betweenSteps(fetcher::applyRequests)) {
            answer.completeExceptionally(new IllegalStateException("The engine has ended"));
        }
        return answer;
    }
}

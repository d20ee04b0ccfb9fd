package dev.ringside.config;

import dev.ringside.engine.InferenceEngine;
import dev.ringside.ops.PrefixOperations;
import dev.ringside.sequence.PrefixInfo;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Asks the engine's thread, which answers between two steps. */
final class EnginePrefixes implements PrefixOperations {

    // A step over a long prompt on a small machine.
    private static final long PATIENCE_SECONDS = 10;

    private final InferenceEngine engine;

    EnginePrefixes(InferenceEngine engine) {
        this.engine = engine;
    }

    @Override
    public List<PrefixInfo> list(int most) {
        return await(engine.listPrefixes(most), List.of());
    }

    @Override
    public int drop(@Nullable String id) {
        return await(engine.dropPrefixes(id), 0);
    }

    private static <T> T await(CompletableFuture<T> answer, T otherwise) {
        try {
            return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return otherwise;
        } catch (ExecutionException e) {
            throw new IllegalStateException("The engine could not do it", e.getCause());
        } catch (TimeoutException e) {
            return otherwise;
        }
    }
}

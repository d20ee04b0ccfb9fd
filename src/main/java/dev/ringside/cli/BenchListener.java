package dev.ringside.cli;

import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationEvent.Completed;
import dev.ringside.engine.GenerationException;
import dev.ringside.engine.GenerationListener;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waits for a generation. */
final class BenchListener implements GenerationListener {

    private final CompletableFuture<Completed> end = new CompletableFuture<>();

    @Override
    public void onEvent(GenerationEvent event) {
        if (event instanceof Completed completed) {
            end.complete(completed);
        }
    }

    @Override
    public void onFailure(GenerationException failure) {
        end.completeExceptionally(failure);
    }

    @Override
    public void onCancelled() {
        end.cancel(false);
    }

    Completed await() {
        try {
            return end.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}

package dev.ringside.config;

import dev.ringside.engine.InferenceEngine;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The engine's warm-up: a made-up generation that has the first compilers done with the kernels. It goes on beside the first requests when it
 * takes long; they share steps with it.
 */
final class WarmUp {

    private final CompletableFuture<Duration> done = new CompletableFuture<>();

    private WarmUp() {}

    static WarmUp begin(InferenceEngine engine) {
        WarmUp warmUp = new WarmUp();
        Thread.ofPlatform().name("ringside-warm-up").daemon().start(() -> warmUp.run(engine));
        return warmUp;
    }

    private void run(InferenceEngine engine) {
        long start = System.nanoTime();
        try {
            engine.warmUp();
            done.complete(Duration.ofNanos(System.nanoTime() - start));
        } catch (Throwable e) {
            done.completeExceptionally(e);
        }
    }

    /**
     * Waits for it, but not longer than {@code limit}.
     *
     * @return how long it took; empty when it is not over yet
     * @throws StartupException when the model can't compute
     */
    Optional<Duration> await(Duration limit) {
        try {
            return Optional.of(done.get(limit.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException e) {
            throw new StartupException("The model was loaded but can't compute: " + e.getCause(),
                    "If the message names a file, check it; otherwise report this with the log at debug level.", e);
        }
    }
}

package dev.ringside.engine;

import dev.ringside.sampling.SamplingParameters;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A made-up generation that takes the way of a real one. */
final class WarmUp implements GenerationListener {

    private final CountDownLatch done = new CountDownLatch(1);
    private volatile @Nullable GenerationException failure;

    /** Empty when the options leave no room for a prompt and a generated token. */
    static Optional<GenerationRequest> request(EngineOptions options, int vocabulary) {
        int tokens = Math.min(options.warmUpTokens(), options.contextLength());
        if (tokens < 2) {
            return Optional.empty();
        }
        int[] prompt = new int[Math.min(tokens / 2, options.stepTokens())];
        for (int i = 0; i < prompt.length; i++) {
            // Ids from all over the vocabulary, so that they are routed to different experts.
            prompt[i] = (int) ((31L + 7919L * i) % vocabulary);
        }
        // Drawn with top-p, which runs every pass of the sampler.
        SamplingParameters sampling = new SamplingParameters(1, 0.95f, 0, 0, 0, 0, 1, 1, Map.of());
        return Optional.of(new GenerationRequest("warm-up", prompt, sampling, tokens - prompt.length, List.of(), true));
    }

    @Override
    public void onEvent(GenerationEvent event) {
        if (event instanceof GenerationEvent.Completed) {
            done.countDown();
        }
    }

    @Override
    public void onFailure(GenerationException cause) {
        failure = cause;
        done.countDown();
    }

    @Override
    public void onCancelled() {
        done.countDown();
    }

    /** Waits for the end; interrupted, it cancels the generation and returns. */
    void await(Generation generation) {
        try {
            done.await();
        } catch (InterruptedException e) {
            generation.cancel();
            Thread.currentThread().interrupt();
            return;
        }
        GenerationException cause = failure;
        if (cause != null) {
            throw cause;
        }
    }
}

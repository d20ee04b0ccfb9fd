package dev.ringside.engine;

import dev.ringside.engine.GenerationException.Kind;
import dev.ringside.sequence.Checkpoint;
import dev.ringside.sequence.SequenceState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells listeners what happened and ends generations: first the sequence's memory is given back, then the listener hears of it. */
final class Outcome {

    private static final Logger log = LoggerFactory.getLogger(InferenceEngine.class);

    private final EngineCounters counters;
    private final Prefixes prefixes;

    Outcome(EngineCounters counters, Prefixes prefixes) {
        this.counters = counters;
        this.prefixes = prefixes;
    }

    void deliver(ActiveGeneration generation, GenerationEvent event) {
        try {
            generation.listener.onEvent(event);
        } catch (Throwable thrown) {
            fail(generation, new GenerationException(Kind.LISTENER, "The receiver of the text failed: " + thrown, thrown));
        }
    }

    void complete(ActiveGeneration generation, FinishReason reason) {
        if (generation.ended) {
            return;
        }
        generation.text.end(reason);
        // Tokens of a stop string, or of half a character, were generated all the same: deltas stand for as many as the usage says.
        if (generation.text.isReady() || generation.text.hasUndelivered()) {
            deliver(generation, generation.text.delta());
        }
        if (generation.ended) {
            return;
        }
        prefixes.keepEnd(generation);
        release(generation);
        try {
            generation.listener.onEvent(new GenerationEvent.Completed(reason, generation.usage(), generation.timings(System.nanoTime()),
                    reason == FinishReason.STOP ? generation.text.stop() : null));
        } catch (Throwable thrown) {
            log.warn("The receiver of {} failed at the end", generation.id(), thrown);
        }
    }

    void fail(ActiveGeneration generation, GenerationException failure) {
        if (generation.ended) {
            return;
        }
        release(generation);
        counters.failed(String.valueOf(failure.getMessage()));
        switch (failure.kind()) {
            case SHUTDOWN -> log.debug("{} ended: {}", generation.id(), failure.getMessage());
            case INTERNAL, LISTENER -> log.error("{} failed", generation.id(), failure);
            default -> log.error("{} failed ({}): {}", generation.id(), failure.kind(), failure.getMessage());
        }
        try {
            generation.listener.onFailure(failure);
        } catch (Throwable thrown) {
            log.warn("The receiver of {} failed at the end", generation.id(), thrown);
        }
    }

    void cancelled(ActiveGeneration generation) {
        if (generation.ended) {
            return;
        }
        release(generation);
        try {
            generation.listener.onCancelled();
        } catch (Throwable thrown) {
            log.warn("The receiver of {} failed at the end", generation.id(), thrown);
        }
    }

    private void release(ActiveGeneration generation) {
        generation.ended = true;
        switch (generation.phase) {
            case WAITING -> counters.waiting.decrementAndGet();
            case ACTIVE -> counters.addActive(-1);
            case SUSPENDED -> counters.addSuspended(-1);
        }
        Checkpoint checkpoint = generation.checkpoint;
        if (checkpoint != null) {
            generation.checkpoint = null;
            checkpoint.close();
        }
        SequenceState state = generation.state;
        if (state == null) {
            return;
        }
        generation.state = null;
        try {
            state.close();
        } catch (Throwable thrown) {
            log.error("The memory of {} could not be given back", generation.id(), thrown);
        }
    }
}

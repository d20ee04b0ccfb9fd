package dev.ringside.engine;

/**
 * Hears of one generation, on the engine's thread: it must hand over and return, as every sequence waits meanwhile. What it throws ends its
 * own request only.
 *
 * <p>The last call is exactly one of: {@link #onEvent} with {@link GenerationEvent.Completed}, {@link #onFailure}, {@link #onCancelled}. By
 * then the sequence's slot and memory are free.
 */
public interface GenerationListener {

    void onEvent(GenerationEvent event);

    void onFailure(GenerationException failure);

    void onCancelled();
}

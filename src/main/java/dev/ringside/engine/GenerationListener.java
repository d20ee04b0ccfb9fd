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

    /**
     * The listeners of all sequences of a step are told of text soon, this one among them: it may read what it will need then, and has no other
     * effect. Other work has had the processor's caches since the step before, and what is read for one listener after the other, with nothing in
     * between that has to be in order, is fetched from memory at the same time.
     *
     * @return of no meaning: keeps what was read from being left out
     */
    default int lookAhead() {
        return 0;
    }

    void onFailure(GenerationException failure);

    void onCancelled();
}

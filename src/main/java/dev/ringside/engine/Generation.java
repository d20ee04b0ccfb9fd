package dev.ringside.engine;

/** A submitted request. Thread safe. */
public sealed interface Generation permits ActiveGeneration {

    /** The request's id. */
    String id();

    /**
     * Asks the engine to drop the request. It leaves between two steps, inside a long prompt too, and its listener is told by
     * {@link GenerationListener#onCancelled()}, unless it ended before. May be called repeatedly.
     */
    void cancel();
}

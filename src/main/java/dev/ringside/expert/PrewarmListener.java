package dev.ringside.expert;

/** Hears how far pre-warming is, on the thread that does it. */
@FunctionalInterface
public interface PrewarmListener {

    /** Nobody listens. */
    PrewarmListener NONE = (_, _) -> {};

    /**
     * Called in front of the first experts and behind every batch of them.
     *
     * @param done experts that were brought in or left out
     * @param total experts of the list that fit
     */
    void progressed(int done, int total);
}

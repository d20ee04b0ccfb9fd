package dev.ringside.engine;

/** Which of two requests goes first when both wait. */
public enum Priority {
    /** Somebody is watching. */
    INTERACTIVE,
    /** Nobody waits for it: it runs when nothing interactive does, or when it has waited long enough. */
    BATCH
}

package dev.ringside.engine;

/** Why a generation ended. */
public enum FinishReason {
    /** An end-of-generation token or a stop string. */
    STOP,
    /** {@code max_tokens} or the context is used up. */
    LENGTH
}

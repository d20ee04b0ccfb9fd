package dev.ringside.engine;

/**
 * Where a generation's time went, in nanoseconds.
 *
 * @param queued from submission to the first row computed
 * @param prompt from there to the first token
 * @param generation from the first token to the end
 */
public record Timings(long queued, long prompt, long generation) {}

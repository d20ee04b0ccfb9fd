package dev.ringside.api;

/**
 * A prompt as the engine takes it.
 *
 * @param ids token ids
 * @param boundaries positions behind messages, ascending
 */
@SuppressWarnings("ArrayRecordComponent") // a prompt may have a hundred thousand
record Prompt(int[] ids, int[] boundaries) {}

package dev.ringside.sequence;

/**
 * One prefix of a {@link PrefixStore}.
 *
 * @param id hexadecimal, stable while the prefix is kept
 * @param tokens its length
 * @param bytes host memory of it
 * @param hits how often it was used
 * @param idleSeconds since it was last used or made
 * @param inMemory whether it can be used without reading a file
 * @param inFile whether a file holds it
 */
public record PrefixInfo(String id, int tokens, long bytes, long hits, long idleSeconds, boolean inMemory, boolean inFile) {}

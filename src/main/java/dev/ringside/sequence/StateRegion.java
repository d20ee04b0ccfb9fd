package dev.ringside.sequence;

/**
 * Where one kind of state lies.
 *
 * @param name such as {@code layer.3.keys}
 * @param positional whether it lies in pages, one part per {@code pageTokens} positions; otherwise in a plane, of fixed size
 * @param offset byte offset in each page, or in a plane; a multiple of 256
 * @param bytes bytes in each page, or in a plane
 */
public record StateRegion(String name, boolean positional, long offset, long bytes) {}

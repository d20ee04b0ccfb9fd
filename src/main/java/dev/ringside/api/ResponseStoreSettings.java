package dev.ringside.api;

import java.time.Duration;

/**
 * How much of answers is kept for those that continue them.
 *
 * @param maxBytes of conversation text; 0 keeps none
 * @param ttl how long one is kept that nobody reads or continues
 */
public record ResponseStoreSettings(long maxBytes, Duration ttl) {}

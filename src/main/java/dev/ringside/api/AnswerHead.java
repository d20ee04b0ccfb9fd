package dev.ringside.api;

/**
 * What every body of one answer repeats.
 *
 * @param created seconds since 1970
 * @param usageAsked whether chunks without usage say so with null
 */
record AnswerHead(String id, long created, String model, String fingerprint, boolean usageAsked) {}

package dev.ringside.api;

import org.jspecify.annotations.Nullable;

/**
 * What every body of one answer repeats.
 *
 * @param created seconds since 1970
 * @param usageAsked whether chunks without usage say so with null
 * @param serviceTier the tier the request was served in, or null when it named none
 * @param choicesPerPrompt choices that share one prompt
 */
record AnswerHead(String id, long created, String model, String fingerprint, boolean usageAsked, @Nullable String serviceTier,
        int choicesPerPrompt) {}

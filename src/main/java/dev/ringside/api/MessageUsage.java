package dev.ringside.api;

import dev.ringside.engine.Usage;

/** Token counts as Anthropic has them: {@code inputTokens} are those that were computed, {@code cacheReadInputTokens} those that were not. */
record MessageUsage(int inputTokens, int cacheCreationInputTokens, int cacheReadInputTokens, int outputTokens) {

    static MessageUsage of(Usage usage) {
        return new MessageUsage(usage.promptTokens() - usage.cachedTokens(), 0, usage.cachedTokens(), usage.completionTokens());
    }

    /** Before anything is known of what can be reused. */
    static MessageUsage begun(int promptTokens) {
        return new MessageUsage(promptTokens, 0, 0, 0);
    }
}

package dev.ringside.api;

import dev.ringside.engine.Usage;

/** Token counts of an answer. */
record UsageBody(int promptTokens, int completionTokens, int totalTokens, PromptDetails promptTokensDetails) implements ChunkUsage {

    record PromptDetails(int cachedTokens) {}

    static UsageBody of(Usage usage) {
        return new UsageBody(usage.promptTokens(), usage.completionTokens(), usage.totalTokens(), new PromptDetails(usage.cachedTokens()));
    }
}

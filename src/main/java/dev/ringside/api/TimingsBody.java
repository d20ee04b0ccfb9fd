package dev.ringside.api;

import dev.ringside.engine.Timings;
import dev.ringside.engine.Usage;
import java.util.concurrent.TimeUnit;

/** Where the time of an answer went, under the names llama.cpp's server uses; an addition that OpenAI's clients ignore. */
record TimingsBody(double queuedMs, int cacheN, int promptN, double promptMs, double promptPerSecond, int predictedN, double predictedMs,
        double predictedPerSecond) {

    static TimingsBody of(Usage usage, Timings timings) {
        int computed = usage.promptTokens() - usage.cachedTokens();
        // The first token ends the prompt's time; the generation's time holds the others.
        int later = Math.max(0, usage.completionTokens() - 1);
        return new TimingsBody(millis(timings.queued()), usage.cachedTokens(), computed, millis(timings.prompt()),
                perSecond(computed, timings.prompt()), usage.completionTokens(), millis(timings.generation()),
                perSecond(later, timings.generation()));
    }

    private static double millis(long nanos) {
        return Math.round(nanos / 1e3) / 1e3;
    }

    private static double perSecond(int tokens, long nanos) {
        return nanos <= 0 ? 0 : Math.round(tokens * 100.0 * TimeUnit.SECONDS.toNanos(1) / nanos) / 100.0;
    }
}

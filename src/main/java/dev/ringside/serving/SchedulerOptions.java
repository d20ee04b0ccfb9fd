package dev.ringside.serving;

import io.github.resilience4j.bulkhead.BulkheadConfig;
import java.time.Duration;

/**
 * Places for requests, and how long they may take. A zero duration or token count sets no limit.
 *
 * @param maxActive in the engine, {@code ringside.scheduler.max-active}
 * @param queueCapacity to wait, {@code ringside.scheduler.queue-capacity}; 0 refuses what can't start at once
 * @param queueTokens most prompt tokens of all that wait, {@code ringside.scheduler.queue-tokens}
 * @param batchMaxWait how long a batch request lets interactive ones pass, {@code ringside.scheduler.batch-max-wait}
 * @param requestTimeout how long a request may take in all, {@code ringside.scheduler.request-timeout}
 * @param firstTokenTimeout how long until its first token, {@code ringside.scheduler.first-token-timeout}
 */
public record SchedulerOptions(int maxActive, int queueCapacity, long queueTokens, Duration batchMaxWait, Duration requestTimeout,
        Duration firstTokenTimeout) {

    private static final Duration DEFAULT_BATCH_MAX_WAIT = Duration.ofSeconds(60);

    public SchedulerOptions {
        atLeast("max-active", maxActive, 1);
        atLeast("queue-capacity", queueCapacity, 0);
        atLeast("queue-tokens", queueTokens, 0);
        atLeast("batch-max-wait", batchMaxWait.toMillis(), 0);
        atLeast("request-timeout", requestTimeout.toMillis(), 0);
        atLeast("first-token-timeout", firstTokenTimeout.toMillis(), 0);
    }

    /** Limits by count only. */
    public SchedulerOptions(int maxActive, int queueCapacity) {
        this(maxActive, queueCapacity, 0, DEFAULT_BATCH_MAX_WAIT, Duration.ZERO, Duration.ZERO);
    }

    /** A bulkhead with a permit for every place that refuses without waiting when all are taken. */
    public BulkheadConfig bulkheadConfig() {
        return BulkheadConfig.custom().maxConcurrentCalls(Math.addExact(maxActive, queueCapacity)).maxWaitDuration(Duration.ZERO).build();
    }

    private static void atLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException("ringside.scheduler." + name + " must be at least " + least + ", got " + value);
        }
    }
}

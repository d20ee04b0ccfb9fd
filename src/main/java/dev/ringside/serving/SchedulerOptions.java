package dev.ringside.serving;

import io.github.resilience4j.bulkhead.BulkheadConfig;
import java.time.Duration;

/**
 * Places for requests.
 *
 * @param maxActive in the engine, {@code ringside.scheduler.max-active}
 * @param queueCapacity to wait, {@code ringside.scheduler.queue-capacity}; 0 refuses what can't start at once
 */
public record SchedulerOptions(int maxActive, int queueCapacity) {

    public SchedulerOptions {
        if (maxActive < 1) {
            throw new IllegalArgumentException("ringside.scheduler.max-active must be at least 1, got " + maxActive);
        }
        if (queueCapacity < 0) {
            throw new IllegalArgumentException("ringside.scheduler.queue-capacity must be at least 0, got " + queueCapacity);
        }
    }

    /** A bulkhead with a permit for every place that refuses without waiting when all are taken. */
    public BulkheadConfig bulkheadConfig() {
        return BulkheadConfig.custom().maxConcurrentCalls(Math.addExact(maxActive, queueCapacity)).maxWaitDuration(Duration.ZERO).build();
    }
}

package dev.ringside.ops;

import dev.ringside.serving.SchedulerSnapshot;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** {@code queue}: how many run and wait. Always up: a full queue answers 429 by itself, and taking the server out would make others full. */
@Component("queueHealthIndicator")
final class QueueHealthIndicator implements HealthIndicator {

    private final EngineViews views;

    QueueHealthIndicator(EngineViews views) {
        this.views = views;
    }

    @Override
    public Health health() {
        SchedulerSnapshot now = views.scheduler().get();
        return Health.up().withDetail("accepting", now.accepting()).withDetail("active", now.active())
                .withDetail("maxActive", now.maxActive())
                .withDetail("queued", now.queued()).withDetail("queueCapacity", now.queueCapacity())
                .withDetail("suspended", now.suspended()).withDetail("rejected", now.rejected()).build();
    }
}

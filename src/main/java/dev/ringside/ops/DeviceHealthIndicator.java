package dev.ringside.ops;

import dev.ringside.engine.EngineSnapshot;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * {@code device}: down after several failed steps in a row, until one works again, and for good when the device has a fault that only a restart
 * mends; part of readiness. Since no step can work where no requests come, it is up again after a while and down with the next failed step.
 */
@Component("deviceHealthIndicator")
final class DeviceHealthIndicator implements HealthIndicator {

    /** One failure may be the request's own; several in a row are not. */
    static final int FAILED_STEPS = 3;
    /** How long requests are kept away before some are tried again. */
    static final Duration PAUSE = Duration.ofSeconds(10);

    private final EngineViews views;
    private final LongSupplier clock;
    private int failedBefore;
    private long failedAt;

    @Autowired
    DeviceHealthIndicator(EngineViews views) {
        this(views, System::nanoTime);
    }

    /** @param clock nanoseconds that only grow */
    DeviceHealthIndicator(EngineViews views, LongSupplier clock) {
        this.views = views;
        this.clock = clock;
    }

    @Override
    public Health health() {
        EngineSnapshot engine = views.engine().get();
        String fault = views.deviceFault().get();
        Health.Builder health = fault == null && !isFailing(engine.consecutiveFailedSteps()) ? Health.up() : Health.down();
        health.withDetail("backend", views.device().backend()).withDetail("name", views.device().name());
        if (fault != null) {
            health.withDetail("fault", fault);
        }
        if (engine.consecutiveFailedSteps() > 0) {
            health.withDetail("failedSteps", engine.consecutiveFailedSteps());
            if (engine.lastFailure() != null) {
                health.withDetail("lastFailure", engine.lastFailure());
            }
        }
        return health.build();
    }

    private synchronized boolean isFailing(int failed) {
        long now = clock.getAsLong();
        if (failed != failedBefore) {
            failedBefore = failed;
            failedAt = now;
        }
        return failed >= FAILED_STEPS && now - failedAt < PAUSE.toNanos();
    }
}

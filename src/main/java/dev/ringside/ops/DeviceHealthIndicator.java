package dev.ringside.ops;

import dev.ringside.engine.EngineSnapshot;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * {@code device}: down after several failed steps in a row, until one works again, and for good when the device has a fault that only a restart
 * mends; part of readiness.
 */
@Component("deviceHealthIndicator")
final class DeviceHealthIndicator implements HealthIndicator {

    /** One failure may be the request's own; several in a row are not. */
    static final int FAILED_STEPS = 3;

    private final EngineViews views;

    DeviceHealthIndicator(EngineViews views) {
        this.views = views;
    }

    @Override
    public Health health() {
        EngineSnapshot engine = views.engine().get();
        String fault = views.deviceFault().get();
        Health.Builder health = fault == null && engine.consecutiveFailedSteps() < FAILED_STEPS ? Health.up() : Health.down();
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
}

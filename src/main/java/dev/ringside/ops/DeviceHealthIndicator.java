package dev.ringside.ops;

import dev.ringside.engine.EngineSnapshot;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** {@code device}: down after several failed steps in a row; part of readiness. One step that works brings it up again. */
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
        Health.Builder health = engine.consecutiveFailedSteps() < FAILED_STEPS ? Health.up() : Health.down();
        health.withDetail("backend", views.device().backend()).withDetail("name", views.device().name());
        if (engine.consecutiveFailedSteps() > 0) {
            health.withDetail("failedSteps", engine.consecutiveFailedSteps());
            if (engine.lastFailure() != null) {
                health.withDetail("lastFailure", engine.lastFailure());
            }
        }
        return health.build();
    }
}

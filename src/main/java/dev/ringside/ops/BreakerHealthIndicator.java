package dev.ringside.ops;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * {@code breaker}: out of service while requests are refused because those before them ended with faults of the device or of expert reads; part
 * of readiness. It is up again while a few are tried.
 */
@Component("breakerHealthIndicator")
final class BreakerHealthIndicator implements HealthIndicator {

    private final EngineViews views;

    BreakerHealthIndicator(EngineViews views) {
        this.views = views;
    }

    @Override
    public Health health() {
        String state = views.scheduler().get().breaker();
        return (state.equals("open") || state.equals("forced_open") ? Health.outOfService() : Health.up()).withDetail("state", state)
                .build();
    }
}

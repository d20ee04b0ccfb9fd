package dev.ringside.ops;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** {@code watchdog}: down while a step does not end that should have; part of readiness. */
@Component("watchdogHealthIndicator")
final class WatchdogHealthIndicator implements HealthIndicator {

    private final EngineViews views;

    WatchdogHealthIndicator(EngineViews views) {
        this.views = views;
    }

    @Override
    public Health health() {
        return (views.watchdog().isTripped() ? Health.down() : Health.up())
                .withDetail("stuckSteps", views.watchdog().stuckSteps())
                .build();
    }
}

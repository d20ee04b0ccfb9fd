package dev.ringside.ops;

import dev.ringside.engine.EngineSnapshot;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** {@code engine}: down when the engine's thread is dead, which only a restart mends; part of liveness. */
@Component("engineHealthIndicator")
final class EngineHealthIndicator implements HealthIndicator {

    private final EngineViews views;

    EngineHealthIndicator(EngineViews views) {
        this.views = views;
    }

    @Override
    public Health health() {
        EngineSnapshot engine = views.engine().get();
        return (engine.alive() ? Health.up() : Health.down())
                .withDetail("active", engine.active())
                .withDetail("steps", engine.steps())
                .build();
    }
}

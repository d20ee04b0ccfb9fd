package dev.ringside.ops;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** {@code model}: up once the model has been warmed up and takes requests; part of readiness. */
@Component("modelHealthIndicator")
final class ModelHealthIndicator implements HealthIndicator {

    private final EngineViews views;
    private final ServedFiles files;

    ModelHealthIndicator(EngineViews views, ServedFiles files) {
        this.views = views;
        this.files = files;
    }

    @Override
    public Health health() {
        Health.Builder health = views.ready().getAsBoolean() ? Health.up() : Health.outOfService();
        return health.withDetail("id", views.modelId())
                .withDetail("architecture", views.model().architecture())
                .withDetail("contextLength", views.contextLength())
                .withDetail("source", files.source())
                .withDetail("file", files.model().toString())
                .build();
    }
}

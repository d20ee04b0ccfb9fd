package dev.ringside.ops;

import dev.ringside.expert.ShardSnapshot;
import java.util.List;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * {@code expertFiles}: out of service while a model file that failed repeatedly is not read. Requests that need none of its experts go on,
 * and it recovers by itself, so it is no part of liveness.
 */
@Component("expertFilesHealthIndicator")
final class ExpertFilesHealthIndicator implements HealthIndicator {

    private final EngineViews views;

    ExpertFilesHealthIndicator(EngineViews views) {
        this.views = views;
    }

    @Override
    public Health health() {
        List<ShardSnapshot> shards = views.experts().get().tier().shards();
        List<String> failing = shards.stream().filter(shard -> !shard.usable()).map(ShardSnapshot::file).toList();
        return (failing.isEmpty() ? Health.up() : Health.outOfService().withDetail("failing", failing))
                .withDetail("files", shards.size())
                .build();
    }
}

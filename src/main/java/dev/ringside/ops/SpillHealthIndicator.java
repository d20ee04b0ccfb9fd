package dev.ringside.ops;

import dev.ringside.sequence.PrefixSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * {@code spill}: the directory for prefixes that leave memory. Out of service when it can't be written to; answers need none of it, so it is no
 * part of readiness.
 */
@Component("spillHealthIndicator")
final class SpillHealthIndicator implements HealthIndicator {

    private final EngineViews views;
    private final ServedFiles files;

    SpillHealthIndicator(EngineViews views, ServedFiles files) {
        this.views = views;
        this.files = files;
    }

    @Override
    public Health health() {
        Path directory = files.spillDirectory();
        if (directory == null) {
            return Health.up().withDetail("directory", "none").build();
        }
        PrefixSnapshot now = views.prefixes().get();
        Health.Builder health = Files.isDirectory(directory) && Files.isWritable(directory) ? Health.up() : Health.outOfService();
        health.withDetail("directory", directory.toString()).withDetail("files", now.spilled()).withDetail("bytes", now.spillBytes())
                .withDetail("refused", now.spillRefused()).withDetail("failures", now.failures());
        try {
            health.withDetail("freeBytes", Files.getFileStore(directory).getUsableSpace());
        } catch (IOException e) {
            health.outOfService().withDetail("error", e.toString());
        }
        return health.build();
    }
}

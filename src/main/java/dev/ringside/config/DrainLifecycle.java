package dev.ringside.config;

import dev.ringside.serving.RequestScheduler;
import dev.ringside.serving.SchedulerSnapshot;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.core.env.Environment;

/**
 * At shutdown lets running answers end, in front of the web server's own shutdown: the port stays open meanwhile, so that new requests get a
 * 503 with Retry-After instead of a refused connection, and what outlasts the grace period gets an error event.
 */
final class DrainLifecycle implements FinalLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(DrainLifecycle.class);
    private static final String PROPERTY = "spring.lifecycle.timeout-per-shutdown-phase";
    private static final Duration DEFAULT_PHASE = Duration.ofSeconds(30);

    private final RequestScheduler scheduler;
    private final Duration grace;
    private volatile boolean running;

    DrainLifecycle(RequestScheduler scheduler, Duration grace) {
        this.scheduler = scheduler;
        this.grace = grace;
    }

    /** Nine tenths of the time that Spring gives each phase of a shutdown. */
    static Duration grace(Environment environment) {
        String set = environment.getProperty(PROPERTY);
        Duration phase = set == null ? DEFAULT_PHASE : DurationStyle.detectAndParse(set);
        return phase.multipliedBy(9).dividedBy(10);
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        stop(() -> {
        });
    }

    @Override
    public void stop(Runnable callback) {
        SchedulerSnapshot now = scheduler.snapshot();
        int active = now.active() + now.suspended();
        if (active > 0) {
            LOG.info("Shutting down: {} answers have {} s to end", active, grace.toSeconds());
        }
        CompletableFuture<Void> _ = scheduler.beginShutdown(grace).whenComplete((_, _) -> {
            running = false;
            callback.run();
        });
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        // Phases stop from the highest to the lowest.
        return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE + 1;
    }
}

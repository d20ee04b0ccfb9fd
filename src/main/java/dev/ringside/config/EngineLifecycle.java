package dev.ringside.config;

import dev.ringside.serving.RequestScheduler;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Warms the engine up for a moment and opens the scheduler before the web server starts, so that a model that can't compute never gets a port
 * and the first request meets code that is at least partly compiled; closes the engine when the web server has stopped.
 */
final class EngineLifecycle implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(EngineLifecycle.class);

    /** What a start may wait for faster first answers: compiling all kernels takes several seconds on two cores. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final EngineRuntime runtime;
    private final RequestScheduler scheduler;
    private volatile boolean running;

    EngineLifecycle(EngineRuntime runtime, RequestScheduler scheduler) {
        this.runtime = runtime;
        this.scheduler = scheduler;
    }

    @Override
    public void start() {
        Optional<Duration> took = WarmUp.begin(runtime.engine()).await(LONGEST_WAIT);
        scheduler.open();
        running = true;
        LOG.info("Ready for requests, {}", took.map(time -> String.format(Locale.ROOT, "warmed up in %.2f s", time.toMillis() / 1e3))
                .orElse("while the warm-up goes on"));
    }

    @Override
    public void stop() {
        running = false;
        runtime.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Long before the web server's phase at start, and so behind it at the end. */
    @Override
    public int getPhase() {
        return 0;
    }
}

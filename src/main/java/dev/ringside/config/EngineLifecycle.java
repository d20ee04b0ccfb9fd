package dev.ringside.config;

import dev.ringside.serving.RequestScheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the scheduler before the web server starts, and closes the engine when the web server has stopped. */
final class EngineLifecycle implements FinalLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(EngineLifecycle.class);

    private final EngineRuntime runtime;
    private final RequestScheduler scheduler;
    private volatile boolean running;

    EngineLifecycle(EngineRuntime runtime, RequestScheduler scheduler) {
        this.runtime = runtime;
        this.scheduler = scheduler;
    }

    @Override
    public void start() {
        scheduler.open();
        running = true;
        LOG.info("Ready for requests");
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

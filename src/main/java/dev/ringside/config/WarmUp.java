package dev.ringside.config;

import dev.ringside.engine.GenerationException;
import dev.ringside.engine.InferenceEngine;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the compilers done with the kernels, by a made-up generation that begins when the port is open: compiling takes longer than the rest of
 * a start on two cores. Requests that come meanwhile share steps with it.
 */
final class WarmUp implements FinalLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

    private final InferenceEngine engine;
    private volatile boolean running;

    WarmUp(InferenceEngine engine) {
        this.engine = engine;
    }

    @Override
    public void start() {
        running = true;
        Thread.ofPlatform().name("ringside-warm-up").daemon().start(this::warmUp);
    }

    private void warmUp() {
        long start = System.nanoTime();
        try {
            engine.warmUp();
            LOG.info("Warmed up in {} s", String.format(Locale.ROOT, "%.2f", (System.nanoTime() - start) / 1e9));
        } catch (GenerationException e) {
            if (running) {
                LOG.warn("The warm-up failed, as a request would have: {}", e.getMessage());
            }
        }
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Behind the web server at start. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}

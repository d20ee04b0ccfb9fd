package dev.ringside.config;

import dev.ringside.serving.Watchdog;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;

/** Looks four times a second whether a step is stuck, and whether the device has a fault that only a restart mends: then the process is not alive. */
final class WatchLifecycle implements FinalLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(WatchLifecycle.class);
    private static final long PERIOD_MILLIS = 250;

    private final Watchdog watchdog;
    private final Supplier<@Nullable String> deviceFault;
    private final ApplicationContext context;
    private @Nullable ScheduledExecutorService thread;
    private boolean broken;

    WatchLifecycle(Watchdog watchdog, Supplier<@Nullable String> deviceFault, ApplicationContext context) {
        this.watchdog = watchdog;
        this.deviceFault = deviceFault;
        this.context = context;
    }

    /** One look. */
    void look() {
        try {
            watchdog.look();
            String fault = deviceFault.get();
            if (fault != null && !broken) {
                broken = true;
                LOG.error("The device is unusable until the process is started again, which liveness asks for from now on: {}", fault);
                AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
                AvailabilityChangeEvent.publish(context, LivenessState.BROKEN);
            }
        } catch (RuntimeException e) {
            // Thrown out of here it would end the watch.
            LOG.warn("The watch over the engine failed once", e);
        }
    }

    @Override
    public synchronized void start() {
        if (thread == null) {
            thread = Executors
                    .newSingleThreadScheduledExecutor(task -> Thread.ofPlatform().name("ringside-watchdog").daemon().unstarted(task));
            var _ = thread.scheduleAtFixedRate(this::look, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public synchronized void stop() {
        if (thread != null) {
            thread.shutdownNow();
            thread = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return thread != null;
    }
}

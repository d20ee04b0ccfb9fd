package dev.ringside.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ringside.serving.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.support.GenericApplicationContext;

class WatchLifecycleTest {

    private final List<Object> states = new ArrayList<>();
    private final AtomicReference<String> fault = new AtomicReference<>();
    private final GenericApplicationContext context = new GenericApplicationContext();

    WatchLifecycleTest() {
        context.addApplicationListener(event -> {
            if (event instanceof AvailabilityChangeEvent<?> change) {
                states.add(change.getState());
            }
        });
        context.refresh();
    }

    @Test
    void aFaultOfTheDeviceAsksForARestartOnce() {
        WatchLifecycle watch = new WatchLifecycle(new Watchdog(() -> 0, Duration.ofSeconds(1)), fault::get, context);
        watch.look();
        assertThat(states).isEmpty();
        fault.set("illegal address");
        watch.look();
        watch.look();

        assertThat(states).containsExactly(ReadinessState.REFUSING_TRAFFIC, LivenessState.BROKEN);
    }

    @Test
    void aLookThatFailsDoesNotEndTheWatch() {
        WatchLifecycle watch = new WatchLifecycle(new Watchdog(() -> {
            throw new IllegalStateException("no figures");
        }, Duration.ofSeconds(1)), fault::get, context);

        watch.look();
    }

    @Test
    void itRunsFromStartToStop() {
        WatchLifecycle watch = new WatchLifecycle(new Watchdog(() -> 0, Duration.ofSeconds(1)), fault::get, context);
        watch.start();
        assertThat(watch.isRunning()).isTrue();
        watch.stop();

        assertThat(watch.isRunning()).isFalse();
    }
}

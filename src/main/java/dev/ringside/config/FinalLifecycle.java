package dev.ringside.config;

import org.springframework.context.SmartLifecycle;

/** What begins once and ends once: after its end it can't be started again, so that a context is never paused with it inside. */
interface FinalLifecycle extends SmartLifecycle {

    @Override
    default boolean isPauseable() {
        return false;
    }
}

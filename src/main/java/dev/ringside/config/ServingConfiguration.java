package dev.ringside.config;

import dev.ringside.api.AccessLog;
import dev.ringside.ops.EngineViews;
import dev.ringside.ops.RequestMeters;
import dev.ringside.ops.RequestObservations;
import dev.ringside.ops.VllmGauges;
import dev.ringside.serving.Guards;
import dev.ringside.serving.RateLimits;
import dev.ringside.serving.RequestObserver;
import dev.ringside.serving.SchedulerOptions;
import dev.ringside.serving.Watchdog;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.micrometer.tagged.TaggedBulkheadMetrics;
import io.github.resilience4j.micrometer.tagged.TaggedCircuitBreakerMetrics;
import io.github.resilience4j.timelimiter.TimeLimiter;
import io.github.resilience4j.timelimiter.TimeLimiterConfig;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Limits and guards around the engine, and who watches requests. */
@Configuration(proxyBeanMethods = false)
class ServingConfiguration {

    @Bean
    SchedulerOptions schedulerOptions(RingsideProperties settings) {
        RingsideProperties.Scheduler scheduler = settings.scheduler();
        return new SchedulerOptions(scheduler.maxActive(), scheduler.queueCapacity(), scheduler.queueTokens(), scheduler.batchMaxWait(),
                scheduler.requestTimeout(), scheduler.firstTokenTimeout());
    }

    // Registered with resilience4j, so that meters show them.
    @Bean
    Guards guards(RingsideProperties settings, SchedulerOptions options, BulkheadRegistry bulkheads, CircuitBreakerRegistry breakers) {
        return new Guards(bulkheads.bulkhead("admission", options.bulkheadConfig()),
                breakers.circuitBreaker("engine", Guards.breakerConfig(settings.scheduler().breakerWait())),
                TimeLimiter.of("first-token", TimeLimiterConfig.custom().timeoutDuration(options.firstTokenTimeout()).build()));
    }

    @Bean
    CircuitBreakerRegistry circuitBreakers() {
        return CircuitBreakerRegistry.ofDefaults();
    }

    @Bean
    BulkheadRegistry bulkheads() {
        return BulkheadRegistry.ofDefaults();
    }

    @Bean
    MeterBinder bulkheadMeters(BulkheadRegistry bulkheads) {
        return TaggedBulkheadMetrics.ofBulkheadRegistry(bulkheads);
    }

    @Bean
    MeterBinder breakerMeters(CircuitBreakerRegistry breakers) {
        return TaggedCircuitBreakerMetrics.ofCircuitBreakerRegistry(breakers);
    }

    @Bean
    RateLimits rateLimits(RingsideProperties settings) {
        return new RateLimits(settings.api().rateLimit().requestsPerMinute(), settings.api().rateLimit().tokensPerMinute());
    }

    /** Null when it is switched off. */
    @Bean
    @Nullable
    AccessLog accessLog(RingsideProperties settings, ModelIdentity identity) {
        return settings.api().accessLog() ? new AccessLog(identity.id()) : null;
    }

    @Bean
    RequestObserver requestObserver(RingsideProperties settings, ModelIdentity identity, MeterRegistry meters,
            ObservationRegistry observations) {
        return new RequestObservations(observations, new RequestMeters(meters, identity.id(), settings.metrics().vllmNames()),
                identity.id());
    }

    @Bean
    MeterBinder vllmMeters(RingsideProperties settings, EngineViews views) {
        return settings.metrics().vllmNames() ? new VllmGauges(views) : _ -> {
        };
    }

    @Bean
    Watchdog watchdog(EngineRuntime runtime, RingsideProperties settings) {
        return new Watchdog(() -> runtime.engine().snapshot().turnNanos(), settings.watchdog().stuckAfter());
    }

    @Bean
    WatchLifecycle watchLifecycle(Watchdog watchdog, EngineRuntime runtime, ApplicationContext context) {
        return new WatchLifecycle(watchdog, runtime.backend()::fault, context);
    }
}

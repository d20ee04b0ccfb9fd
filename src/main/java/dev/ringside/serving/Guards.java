package dev.ringside.serving;

import dev.ringside.engine.GenerationException.Kind;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.reactor.bulkhead.operator.BulkheadOperator;
import io.github.resilience4j.reactor.circuitbreaker.operator.CircuitBreakerOperator;
import io.github.resilience4j.timelimiter.TimeLimiter;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;

/**
 * resilience4j around the engine.
 *
 * @param bulkhead a permit for every place, running and waiting; made with {@link SchedulerOptions#bulkheadConfig}
 * @param breaker opens on device and expert faults; made with {@link #breakerConfig}
 * @param firstToken counts first tokens that came in time and too late
 */
public record Guards(Bulkhead bulkhead, CircuitBreaker breaker, TimeLimiter firstToken) {

    private static final int WINDOW = 20;
    private static final int FEWEST_CALLS = 5;
    private static final float FAILURE_PERCENT = 50;
    private static final int TRIALS = 2;

    /** Guards that no registry knows. */
    static Guards of(Bulkhead bulkhead) {
        return new Guards(bulkhead, CircuitBreaker.of("engine", breakerConfig(Duration.ofSeconds(10))),
                TimeLimiter.ofDefaults("first-token"));
    }

    /**
     * Opens when half of the last 20 requests (5 at least) ended with a fault of the device or of expert reads. Other ends count as successes,
     * refusals not at all.
     *
     * @param wait how long requests are refused before some are tried again
     */
    public static CircuitBreakerConfig breakerConfig(Duration wait) {
        return CircuitBreakerConfig.custom()
                .slidingWindow(WINDOW, FEWEST_CALLS, CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
                .failureRateThreshold(FAILURE_PERCENT)
                .waitDurationInOpenState(wait)
                .permittedNumberOfCallsInHalfOpenState(TRIALS)
                // Unready servers get no requests, so that none would end the wait.
                .automaticTransitionFromOpenToHalfOpenEnabled(true)
                .recordException(Guards::isFault)
                .ignoreException(failure -> !(failure instanceof GenerationFailedException))
                .build();
    }

    private static boolean isFault(Throwable failure) {
        return failure instanceof GenerationFailedException failed && (failed.kind() == Kind.DEVICE || failed.kind() == Kind.EXPERT_IO);
    }

    <T> Flux<T> around(Flux<T> source, Supplier<ServingException> full) {
        return source
                .transformDeferred(BulkheadOperator.of(bulkhead))
                .onErrorMap(BulkheadFullException.class, _ -> full.get())
                .transformDeferred(CircuitBreakerOperator.of(breaker))
                .onErrorMap(CallNotPermittedException.class, _ -> broken());
    }

    private UnavailableException broken() {
        long wait = breaker.getCircuitBreakerConfig().getWaitIntervalFunctionInOpenState().apply(1);
        return new UnavailableException(
                "Requests failed one after another because of the device or the model file; the server tries again by itself",
                Duration.ofMillis(Math.max(1000, wait)));
    }

    /** closed, open, half_open, ... */
    String state() {
        return breaker.getState().name().toLowerCase(Locale.ROOT);
    }
}

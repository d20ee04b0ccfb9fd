package dev.ringside.serving;

import dev.ringside.engine.GenerationException;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

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

    /**
     * Lets a request in, or refuses it at once. resilience4j's operators are around its life, from here to the first call of its pass: tokens do
     * not go through them, so that they cost nothing for each.
     *
     * @param admitted begins the request
     * @param full what it is told when every permit is taken
     * @param refused ends it instead
     */
    void enter(Consumer<Pass> admitted, Supplier<ServingException> full, Consumer<ServingException> refused) {
        Disposable.Swap life = Disposables.swap();
        life.update(Mono.<Void>create(sink -> admitted.accept(new Pass(sink, life)))
                .transformDeferred(BulkheadOperator.of(bulkhead))
                .transformDeferred(CircuitBreakerOperator.of(breaker))
                .subscribe(_ -> {
                }, failure -> {
                    switch (failure) {
                        case BulkheadFullException _ -> refused.accept(full.get());
                        case CallNotPermittedException _ -> refused.accept(broken());
                        case ServingException _ -> {
                            // The pass was told so, by somebody who tells the client too.
                        }
                        default -> refused.accept(new GenerationFailedException(
                                new GenerationException(Kind.INTERNAL, "The request could not be started: " + failure, failure)));
                    }
                }));
    }

    /** A request that was let in. The first call says how it went; further ones have no effect. Thread safe. */
    static final class Pass {

        private final MonoSink<Void> end;
        private final Disposable life;
        private final AtomicBoolean returned = new AtomicBoolean();

        private Pass(MonoSink<Void> end, Disposable life) {
            this.end = end;
            this.life = life;
        }

        void completed() {
            if (returned.compareAndSet(false, true)) {
                end.success();
            }
        }

        void failed(ServingException failure) {
            if (returned.compareAndSet(false, true)) {
                end.error(failure);
            }
        }

        /** Nobody knows how it would have ended. */
        void abandoned() {
            if (returned.compareAndSet(false, true)) {
                life.dispose();
            }
        }
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

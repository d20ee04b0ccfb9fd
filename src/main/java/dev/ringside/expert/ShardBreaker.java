package dev.ringside.expert;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/** Retries a shard's transient faults and leaves it alone for a while after repeated ones. Costs two volatile reads while all is well. */
final class ShardBreaker {

    /** Outcomes looked at, and failures among them that open the breaker. */
    static final int WINDOW = 20;
    static final int MINIMUM_CALLS = 5;

    /** A read that may be tried again. */
    interface Attempt {

        void run() throws IOException;
    }

    /** How a read was let in. */
    enum Admission {
        /** Its success changes nothing. */
        UNWATCHED,
        /** Its outcome is recorded. */
        WATCHED,
        /** It finds out whether the shard works again, while other reads wait for the answer. */
        PROBE
    }

    private final CircuitBreaker breaker;
    /** Probes run one by one: a request of several reads is not to fail because its first one is still the probe. */
    private final ReentrantLock probe = new ReentrantLock();
    private final Retry retry;
    private final Clock clock;
    private final Duration openFor;
    private final LongAdder retries = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    /**
     * Successes still to be recorded. Once a window holds nothing but successes another one changes nothing, and recording one allocates.
     */
    private final AtomicInteger unrecorded = new AtomicInteger();
    private volatile Instant openedAt = Instant.EPOCH;

    ShardBreaker(String name, ReadOptions options) {
        this.clock = options.clock();
        this.openFor = options.openFor();
        this.breaker = CircuitBreaker.of(name, CircuitBreakerConfig.custom()
                .slidingWindowType(CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
                .slidingWindowSize(WINDOW)
                .minimumNumberOfCalls(MINIMUM_CALLS)
                .failureRateThreshold(50)
                .permittedNumberOfCallsInHalfOpenState(2)
                .waitDurationInOpenState(options.openFor().isZero() ? Duration.ofMillis(1) : options.openFor())
                .clock(options.clock())
                .build());
        breaker.getEventPublisher().onStateTransition(event -> {
            if (event.getStateTransition().getToState() == State.OPEN) {
                openedAt = clock.instant();
            }
        });
        this.retry = Retry.of(name, RetryConfig.custom()
                .maxAttempts(options.retries() + 1)
                .intervalFunction(
                        options.firstBackoff().isZero() ? attempt -> 0L : IntervalFunction.ofExponentialBackoff(options.firstBackoff(), 2))
                .retryOnException(ShardBreaker::transientFault)
                .build());
        retry.getEventPublisher().onRetry(event -> retries.increment());
    }

    /** A file that is cut short or gone stays so; anything else may have been a bad moment. */
    private static boolean transientFault(Throwable fault) {
        return fault instanceof IOException && !lasting(fault);
    }

    private static boolean lasting(Throwable fault) {
        return fault instanceof EOFException || fault instanceof NoSuchFileException;
    }

    /** Fails at once while the breaker is open. Every admission is followed by {@link #leave}. */
    // A probe's lock is held through its read and released by leave().
    @SuppressWarnings("LockNotBeforeTry")
    Admission admit() throws IOException {
        if (breaker.getState() == State.CLOSED) {
            return unrecorded.get() > 0 ? Admission.WATCHED : Admission.UNWATCHED;
        }
        probe.lock();
        if (breaker.getState() == State.CLOSED) {
            probe.unlock();
            return Admission.WATCHED;
        }
        if (breaker.tryAcquirePermission()) {
            return Admission.PROBE;
        }
        probe.unlock();
        rejected.increment();
        throw new IOException("the file failed repeatedly and is not read for up to " + openFor.toMillis()
                + " ms; then one read tries it again (check the disk or mount it lies on)");
    }

    void leave(Admission admission) {
        if (admission == Admission.PROBE) {
            probe.unlock();
        }
    }

    /** The read came to no outcome that says anything of the shard. */
    void abandoned(Admission admission) {
        if (admission == Admission.PROBE) {
            breaker.releasePermission();
        }
    }

    void succeeded(Admission admission) {
        if (admission != Admission.UNWATCHED) {
            unrecorded.decrementAndGet();
            breaker.onSuccess(0, TimeUnit.NANOSECONDS);
        }
    }

    /** Tries again after a first failure, with pauses; throws when no attempt succeeds. */
    void recover(IOException first, Admission admission, Attempt attempt) throws IOException {
        Retry.Context<Object> context = retry.context();
        IOException fault = first;
        while (true) {
            try {
                context.onError(fault);
                attempt.run();
                context.onComplete();
                succeeded(admission);
                return;
            } catch (IOException e) {
                if (e.equals(fault)) {
                    throw failed(e);
                }
                fault = e;
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw failed(new IOException(e));
            }
        }
    }

    private IOException failed(IOException fault) {
        failures.increment();
        if (lasting(fault)) {
            // Only what lies behind the end is lost; the rest of the file still serves.
            breaker.releasePermission();
        } else {
            unrecorded.set(WINDOW);
            breaker.onError(0, TimeUnit.NANOSECONDS, fault);
        }
        return fault;
    }

    /** {@code closed}, {@code open} or {@code half-open}. */
    String state() {
        return switch (breaker.getState()) {
            case OPEN, FORCED_OPEN -> clock.instant().isBefore(openedAt.plus(openFor)) ? "open" : "half-open";
            case HALF_OPEN -> "half-open";
            default -> "closed";
        };
    }

    long retries() {
        return retries.sum();
    }

    long failures() {
        return failures.sum();
    }

    long rejected() {
        return rejected.sum();
    }
}

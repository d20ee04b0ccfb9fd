package dev.ringside.serving;

import static org.awaitility.Awaitility.await;

import dev.ringside.engine.EngineHarness;
import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationEvent.TextDelta;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.engine.Priority;
import dev.ringside.engine.TokenLogprob;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.timelimiter.TimeLimiter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** A scheduler over an engine whose steps can be held back. */
final class SchedulerHarness implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(60);

    final EngineHarness engine;
    final Bulkhead bulkhead;
    final Guards guards;
    final RecordingObserver observer = new RecordingObserver();
    final RequestScheduler scheduler;
    private final Semaphore gate = new Semaphore(0);

    SchedulerHarness(int maxActive, int queueCapacity) {
        this(maxActive, queueCapacity, Schedulers.parallel());
    }

    SchedulerHarness(int maxActive, int queueCapacity, Scheduler delivery) {
        this(new SchedulerOptions(maxActive, queueCapacity), delivery, System::nanoTime);
    }

    /** @param clock nanoseconds that only grow */
    SchedulerHarness(SchedulerOptions options, Scheduler delivery, LongSupplier clock) {
        this.engine = EngineHarness.hashing(options.maxActive(), 16, 10_000);
        this.bulkhead = Bulkhead.of("generate", options.bulkheadConfig());
        // The breaker stays open for longer than any test.
        this.guards = new Guards(bulkhead, CircuitBreaker.of("engine", Guards.breakerConfig(Duration.ofHours(1))),
                TimeLimiter.ofDefaults("first-token"));
        this.scheduler = new RequestScheduler(engine.engine, options, guards, observer, delivery, clock);
        scheduler.open();
    }

    /** From now on a step needs a permit. */
    void hold() {
        engine.model.beforeEachStep(_ -> gate.acquireUninterruptibly());
    }

    /** Waits until the engine is in a step that is held back: a request that leaves before is dropped between two steps. */
    void awaitHeld() {
        await().atMost(PATIENCE).until(gate::hasQueuedThreads);
    }

    void letGo(int steps) {
        gate.release(steps);
    }

    void letGo() {
        engine.model.beforeEachStep(_ -> {
        });
        gate.release(1_000_000);
    }

    /** A request whose prompt, and so its text, is its own. */
    static GenerationRequest request(int number, int maxTokens) {
        return EngineHarness.request("r" + number, maxTokens, EngineHarness.prompt(number, 5 + number));
    }

    /** One that lets interactive ones pass. */
    static GenerationRequest batch(int number, int maxTokens) {
        return with(request(number, maxTokens), Priority.BATCH, null);
    }

    static GenerationRequest with(GenerationRequest request, Priority priority, @Nullable Duration timeout) {
        return new GenerationRequest(request.id(), request.prompt(), request.sampling(), request.maxTokens(), request.stop(),
                request.ignoreEnd(), request.boundaries(), request.logprobs(), request.constraint(), priority, timeout);
    }

    List<GenerationEvent> run(GenerationRequest request) {
        return scheduler.generate(request).collectList().block(PATIENCE);
    }

    static String text(List<? extends GenerationEvent> events) {
        StringBuilder text = new StringBuilder();
        for (GenerationEvent event : events) {
            if (event instanceof TextDelta(String delta, int _, List<TokenLogprob> _)) {
                text.append(delta);
            }
        }
        return text.toString();
    }

    @Override
    public void close() {
        letGo();
        engine.close();
    }
}

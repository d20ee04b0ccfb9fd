package dev.ringside.serving;

import dev.ringside.engine.EngineHarness;
import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationEvent.TextDelta;
import dev.ringside.engine.TokenLogprob;
import dev.ringside.engine.GenerationRequest;
import io.github.resilience4j.bulkhead.Bulkhead;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** A scheduler over an engine whose steps can be held back. */
final class SchedulerHarness implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(60);

    final EngineHarness engine;
    final Bulkhead bulkhead;
    final RequestScheduler scheduler;
    private final Semaphore gate = new Semaphore(0);

    SchedulerHarness(int maxActive, int queueCapacity) {
        this(maxActive, queueCapacity, Schedulers.parallel());
    }

    SchedulerHarness(int maxActive, int queueCapacity, Scheduler delivery) {
        this.engine = EngineHarness.hashing(maxActive, 16, 10_000);
        SchedulerOptions options = new SchedulerOptions(maxActive, queueCapacity);
        this.bulkhead = Bulkhead.of("generate", options.bulkheadConfig());
        this.scheduler = new RequestScheduler(engine.engine, options, bulkhead, delivery);
        scheduler.open();
    }

    /** From now on a step needs a permit. */
    void hold() {
        engine.model.beforeEachStep(_ -> gate.acquireUninterruptibly());
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

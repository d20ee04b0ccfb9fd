package dev.ringside.api;

import dev.ringside.engine.FinishReason;
import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.engine.Timings;
import dev.ringside.engine.Usage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import reactor.core.publisher.Flux;

/** Answers as a test says, and remembers what it was asked. */
final class ScriptedGenerator implements Generator {

    final List<GenerationRequest> requests = new CopyOnWriteArrayList<>();
    final AtomicInteger cancelled = new AtomicInteger();
    volatile Function<GenerationRequest, Flux<GenerationEvent>> script = request -> answer(request, "Hello", " world");

    @Override
    public Flux<GenerationEvent> generate(GenerationRequest request) {
        return Flux.defer(() -> {
            requests.add(request);
            return script.apply(request).doOnCancel(cancelled::incrementAndGet);
        });
    }

    GenerationRequest lastRequest() {
        return requests.getLast();
    }

    static Flux<GenerationEvent> answer(GenerationRequest request, String... deltas) {
        Flux<GenerationEvent> text = Flux.fromArray(deltas).map(delta -> new GenerationEvent.TextDelta(delta, 1));
        return text.concatWithValues(completed(request, deltas.length));
    }

    static GenerationEvent.Completed completed(GenerationRequest request, int tokens) {
        return new GenerationEvent.Completed(FinishReason.STOP, new Usage(request.prompt().length, tokens, 0),
                new Timings(1_000_000, 2_000_000, 4_000_000));
    }
}

package dev.ringside.api;

import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationRequest;
import reactor.core.publisher.Flux;

/** Generates text: the request scheduler, seen from here. Work starts with the subscription and ends with its cancellation. */
@FunctionalInterface
public interface Generator {

    Flux<GenerationEvent> generate(GenerationRequest request);
}

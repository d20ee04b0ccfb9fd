package dev.ringside.api;

import dev.ringside.chat.AssistantParser;
import dev.ringside.chat.AssistantPart;
import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.engine.TokenLogprob;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;

/**
 * One choice of an answer: a generation and what takes its text apart.
 *
 * @param parser makes a parser for every run
 */
record AnswerChoice(GenerationRequest request, Supplier<AssistantParser> parser) {

    /** Generates when subscribed to; cancelling the subscription ends the generation. */
    Flux<AnswerEvent> events(Generator generator) {
        return Flux.defer(() -> {
            AssistantParser turn = parser.get();
            return generator.generate(request).concatMapIterable(event -> events(event, turn), 1);
        });
    }

    private static List<AnswerEvent> events(GenerationEvent event, AssistantParser turn) {
        return switch (event) {
            case GenerationEvent.PromptProgress(int processed, int total) -> List.of(new AnswerEvent.Progress(processed, total));
            case GenerationEvent.TextDelta delta -> {
                List<AssistantPart> parts = new ArrayList<>(1);
                turn.append(delta.text(), parts::add);
                yield parts(parts, delta.logprobs());
            }
            case GenerationEvent.Completed done -> {
                List<AssistantPart> rest = new ArrayList<>(1);
                turn.end(rest::add);
                List<AnswerEvent> events = new ArrayList<>(parts(rest, List.of()));
                events.add(new AnswerEvent.Finished(AnswerEnd.of(done.reason(), turn.toolCalls() > 0), done.usage(), done.timings(),
                        done.stop()));
                yield events;
            }
        };
    }

    private static List<AnswerEvent> parts(List<AssistantPart> parts, List<TokenLogprob> logprobs) {
        return parts.isEmpty() && logprobs.isEmpty() ? List.of() : List.of(new AnswerEvent.Parts(parts, logprobs));
    }
}

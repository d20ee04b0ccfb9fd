package dev.ringside.api;

import dev.ringside.chat.AssistantParser;
import dev.ringside.chat.AssistantPart;
import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.engine.TokenLogprob;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
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
            return generator.generate(request).concatMapIterable(event -> {
                List<AnswerEvent> events = new ArrayList<>(2);
                translate(event, turn, events::add);
                return events;
            }, 1);
        });
    }

    /** Takes a generation's event apart. */
    static void translate(GenerationEvent event, AssistantParser turn, Consumer<AnswerEvent> out) {
        switch (event) {
            case GenerationEvent.PromptProgress(int processed, int total) -> out.accept(new AnswerEvent.Progress(processed, total));
            case GenerationEvent.TextDelta delta -> {
                List<AssistantPart> parts = new ArrayList<>(1);
                turn.append(delta.text(), parts::add);
                parts(parts, delta.logprobs(), out);
            }
            case GenerationEvent.Completed done -> {
                List<AssistantPart> rest = new ArrayList<>(1);
                turn.end(rest::add);
                parts(rest, List.of(), out);
                out.accept(new AnswerEvent.Finished(AnswerEnd.of(done.reason(), turn.toolCalls() > 0), done.usage(), done.timings(),
                        done.stop()));
            }
        }
    }

    private static void parts(List<AssistantPart> parts, List<TokenLogprob> logprobs, Consumer<AnswerEvent> out) {
        if (!parts.isEmpty() || !logprobs.isEmpty()) {
            out.accept(new AnswerEvent.Parts(parts, logprobs));
        }
    }
}

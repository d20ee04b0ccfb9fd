package dev.ringside.api;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An answer as it is generated: many choices and a clock in, events out. */
final class AnswerStream {

    private static final int TICKS_PER_INTERVAL = 4;

    private final JsonBody json;
    private final ErrorMapper errors;
    private final Duration commentInterval;

    AnswerStream(JsonBody json, ErrorMapper errors, Duration commentInterval) {
        this.json = json;
        this.errors = errors;
        this.commentInterval = commentInterval;
    }

    /** Server-sent events; an error when the generation fails before the first of them. */
    Flux<byte[]> events(List<Flux<AnswerEvent>> choices, AnswerFormat format, AnswerHead head) {
        return Flux.defer(() -> {
            SseEncoder encoder = new SseEncoder(format, choices.size(), head, json, errors, commentInterval.toNanos(), System::nanoTime);
            return signals(choices).handle(encoder::accept);
        });
    }

    /** The answers of all choices, in order, when the last is complete. */
    static Mono<List<Answer>> whole(List<Flux<AnswerEvent>> choices) {
        return Flux.mergeSequential(choices.stream().map(AnswerStream::whole).toList(), Math.max(1, choices.size()), 1).collectList();
    }

    /**
     * What happens to all choices in the order in which it does, and {@link Signal.Tick}s several times per comment interval; the last signal
     * is {@link Signal.End}. One element is asked for at a time, so that a slow client is felt by the engine's own bounded queue and by
     * nothing in between.
     */
    Flux<Signal> signals(List<Flux<AnswerEvent>> choices) {
        List<Flux<Signal>> sources = new ArrayList<>();
        for (int i = 0; i < choices.size(); i++) {
            int choice = i;
            sources.add(choices.get(i).map(event -> new Signal.Event(choice, event)));
        }
        Flux<Signal> news = merge(sources)
                .onErrorResume(cause -> Flux.just(new Signal.Failed(cause)))
                .concatWithValues(Signal.End.END);
        if (commentInterval.isZero()) {
            return news;
        }
        Flux<Signal> ticks = Flux.interval(commentInterval.dividedBy(TICKS_PER_INTERVAL)).onBackpressureDrop().map(_ -> Signal.Tick.TICK);
        return merge(List.of(news, ticks)).takeUntil(signal -> signal == Signal.End.END);
    }

    private static Flux<Signal> merge(List<Flux<Signal>> sources) {
        return sources.size() == 1 ? sources.getFirst() : Flux.merge(Flux.fromIterable(sources), sources.size(), 1);
    }

    private static Mono<Answer> whole(Flux<AnswerEvent> events) {
        return Mono.defer(() -> {
            AnswerCollector collector = new AnswerCollector();
            return events.<Answer>handle((event, sink) -> {
                Answer answer = collector.add(event);
                if (answer != null) {
                    sink.next(answer);
                }
            }).single();
        });
    }
}

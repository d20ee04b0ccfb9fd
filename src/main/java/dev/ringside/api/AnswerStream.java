package dev.ringside.api;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/** An answer as it is generated: many choices and a clock in, bytes out. */
final class AnswerStream {

    private static final int TICKS_PER_INTERVAL = 4;

    private final Generator generator;
    private final JsonBody json;
    private final ErrorMapper errors;
    private final Duration commentInterval;

    AnswerStream(Generator generator, JsonBody json, ErrorMapper errors, Duration commentInterval) {
        this.generator = generator;
        this.json = json;
        this.errors = errors;
        this.commentInterval = commentInterval;
    }

    /** Server-sent events; an error when the generation fails before the first of them. */
    Flux<byte[]> events(List<AnswerChoice> choices, AnswerFormat format, AnswerHead head, ClientConnection connection) {
        return encoded(choices, connection, () -> new SseEncoder(format, choices.size(), head, json, errors, commentInterval.toNanos(),
                System::nanoTime));
    }

    /**
     * What happens to all choices in the order in which it does, and {@link Signal.Tick}s several times per comment interval, encoded; the last
     * signal is {@link Signal.End}.
     */
    Flux<byte[]> encoded(List<AnswerChoice> choices, ClientConnection connection, Supplier<SignalEncoder> encoder) {
        Publisher<byte[]> answer = client -> new StreamedAnswer(Operators.toCoreSubscriber(client), choices, encoder.get(), connection)
                .start(generator, choices, commentInterval.dividedBy(TICKS_PER_INTERVAL));
        return Flux.from(answer);
    }

    /** The answers of all choices, in order, when the last is complete. */
    static Mono<List<Answer>> whole(List<Flux<AnswerEvent>> choices) {
        return Flux.mergeSequential(choices.stream().map(AnswerStream::whole).toList(), Math.max(1, choices.size()), 1).collectList();
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

package dev.ringside.api;

import java.time.Clock;
import java.util.List;
import java.util.function.Function;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Generates the choices of an answer and writes it, as a stream or in one piece. */
final class Answers {

    private final Generator generator;
    private final AnswerStream stream;
    private final JsonBody json;
    private final ConnectionThreads threads;
    private final ApiSettings settings;
    private final Clock clock;

    Answers(Generator generator, AnswerStream stream, JsonBody json, ConnectionThreads threads, ApiSettings settings, Clock clock) {
        this.threads = threads;
        this.generator = generator;
        this.stream = stream;
        this.json = json;
        this.settings = settings;
        this.clock = clock;
    }

    /**
     * @param id of the answer, such as {@code chatcmpl-...}
     * @param choices those of one prompt follow each other, {@link GenerationOptions#choices()} of each
     */
    Mono<Void> respond(ServerWebExchange exchange, String id, List<AnswerChoice> choices, GenerationOptions options,
            Function<AnswerHead, AnswerFormat> formats) {
        AnswerHead head = new AnswerHead(id, clock.instant().getEpochSecond(), settings.modelId(), settings.fingerprint(),
                options.includeUsage(), options.serviceTier(), options.choices());
        AnswerFormat format = formats.apply(head);
        ServerHttpResponse response = exchange.getResponse();
        if (options.stream()) {
            ClientConnection connection = ClientConnection.of(exchange, threads);
            return SseResponse.write(response, stream.events(choices, format, head, connection), connection);
        }
        List<Flux<AnswerEvent>> events = choices.stream().map(choice -> choice.events(generator)).toList();
        return AnswerStream.whole(events).flatMap(answers -> JsonAnswer.write(response, json.write(format.whole(answers))));
    }
}

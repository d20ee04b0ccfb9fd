package dev.ringside.api;

import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationRequest;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Generates the answer to encoded prompts and writes it, as a stream or in one piece. */
final class Answers {

    private final Generator generator;
    private final AnswerStream stream;
    private final JsonBody json;
    private final ApiSettings settings;
    private final Clock clock;

    Answers(Generator generator, AnswerStream stream, JsonBody json, ApiSettings settings, Clock clock) {
        this.generator = generator;
        this.stream = stream;
        this.json = json;
        this.settings = settings;
        this.clock = clock;
    }

    /**
     * @param prefix of the answer's id, such as {@code chatcmpl-}
     * @param prompts token ids of every choice
     */
    Mono<Void> respond(ServerWebExchange exchange, String prefix, List<int[]> prompts, GenerationOptions options,
            Function<AnswerHead, AnswerFormat> formats) {
        String id = RequestId.create(prefix);
        AnswerFormat format = formats.apply(new AnswerHead(id, clock.instant().getEpochSecond(), settings.modelId(), settings.fingerprint(),
                options.includeUsage()));
        List<Flux<GenerationEvent>> choices = new ArrayList<>(prompts.size());
        for (int[] prompt : prompts) {
            choices.add(generator.generate(request(choices.isEmpty() ? id : id + "-" + choices.size(), prompt, options)));
        }
        ServerHttpResponse response = exchange.getResponse();
        if (options.stream()) {
            return SseResponse.write(response, stream.events(choices, format, options.includeUsage()));
        }
        return AnswerStream.whole(choices).flatMap(answers -> {
            byte[] body = json.write(format.whole(answers));
            response.getHeaders().setContentType(MediaType.APPLICATION_JSON);
            response.getHeaders().setContentLength(body.length);
            return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
        });
    }

    private GenerationRequest request(String id, int[] prompt, GenerationOptions options) {
        int room = Math.max(1, settings.contextLength() - prompt.length);
        int maxTokens = Math.min(room, options.maxTokens().orElse(room));
        return new GenerationRequest(id, prompt, options.sampling(), maxTokens, options.stop(), false);
    }
}

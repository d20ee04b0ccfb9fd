package dev.ringside.api;

import dev.ringside.engine.GenerationRequest;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** {@code POST /v1/chat/completions}. */
@RestController
final class ChatCompletionController {

    private final RequestBodies bodies;
    private final ChatRequestParser parser;
    private final ChatTurns turns;
    private final Answers answers;
    private final AnswerLogprobs logprobs;

    ChatCompletionController(RequestBodies bodies, ChatRequestParser parser, ChatTurns turns, Answers answers, AnswerLogprobs logprobs) {
        this.bodies = bodies;
        this.parser = parser;
        this.turns = turns;
        this.answers = answers;
        this.logprobs = logprobs;
    }

    @PostMapping({"/v1/chat/completions", "/chat/completions"})
    Mono<Void> complete(ServerWebExchange exchange) {
        return bodies.read(exchange.getRequest()).flatMap(json -> {
            ChatTurn turn = parser.parse(json);
            String id = RequestId.create("chatcmpl-");
            boolean probabilities = turn.options().logprobs() != GenerationRequest.NO_LOGPROBS;
            return answers.respond(exchange, id, turns.prepare(id, turn).choices(), turn.options(),
                    head -> new ChatFormat(head, probabilities ? logprobs : null));
        });
    }
}

package dev.ringside.api;

import java.util.List;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** {@code POST /v1/chat/completions}. */
@RestController
final class ChatCompletionController {

    private final RequestBodies bodies;
    private final ChatRequestParser parser;
    private final Prompts prompts;
    private final Answers answers;

    ChatCompletionController(RequestBodies bodies, ChatRequestParser parser, Prompts prompts, Answers answers) {
        this.bodies = bodies;
        this.parser = parser;
        this.prompts = prompts;
        this.answers = answers;
    }

    @PostMapping({"/v1/chat/completions", "/chat/completions"})
    Mono<Void> complete(ServerWebExchange exchange) {
        return bodies.read(exchange.getRequest()).flatMap(json -> {
            ChatCompletionRequest request = parser.parse(json);
            return answers.respond(exchange, "chatcmpl-", List.of(prompts.encode(request)), request.options(), ChatFormat::new);
        });
    }
}

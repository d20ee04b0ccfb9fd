package dev.ringside.api;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** {@code POST /v1/completions}: continues text as it stands, without a chat template. */
@RestController
final class CompletionController {

    private final RequestBodies bodies;
    private final CompletionRequestParser parser;
    private final Prompts prompts;
    private final Answers answers;

    CompletionController(RequestBodies bodies, CompletionRequestParser parser, Prompts prompts, Answers answers) {
        this.bodies = bodies;
        this.parser = parser;
        this.prompts = prompts;
        this.answers = answers;
    }

    @PostMapping({"/v1/completions", "/completions"})
    Mono<Void> complete(ServerWebExchange exchange) {
        return bodies.read(exchange.getRequest()).flatMap(json -> {
            CompletionRequest request = parser.parse(json);
            return answers.respond(exchange, "cmpl-", prompts.encode(request), request.options(), TextFormat::new);
        });
    }
}

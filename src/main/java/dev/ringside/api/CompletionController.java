package dev.ringside.api;

import dev.ringside.chat.AssistantFormat;
import dev.ringside.chat.ReasoningFormat;
import dev.ringside.chat.ToolCatalog;
import dev.ringside.chat.ToolFormat;
import dev.ringside.engine.GenerationRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** {@code POST /v1/completions}: continues text as it stands, without a chat template. */
@RestController
final class CompletionController {

    private static final AssistantFormat PLAIN = new AssistantFormat(ReasoningFormat.NONE, ToolFormat.JSON_TAGS);

    private final RequestBodies bodies;
    private final CompletionRequestParser parser;
    private final Prompts prompts;
    private final Answers answers;
    private final AnswerLogprobs logprobs;
    private final int contextLength;

    CompletionController(RequestBodies bodies, CompletionRequestParser parser, Prompts prompts, Answers answers, AnswerLogprobs logprobs,
            ApiSettings settings) {
        this.bodies = bodies;
        this.parser = parser;
        this.prompts = prompts;
        this.answers = answers;
        this.logprobs = logprobs;
        this.contextLength = settings.contextLength();
    }

    @PostMapping({"/v1/completions", "/completions"})
    Mono<Void> complete(ServerWebExchange exchange) {
        return bodies.read(exchange.getRequest()).flatMap(json -> {
            CompletionRequest request = parser.parse(json);
            GenerationOptions options = request.options();
            String id = RequestId.create("cmpl-");
            List<Prompt> encoded = prompts.encode(request);
            List<AnswerChoice> choices = new ArrayList<>();
            List<String> echoes = new ArrayList<>();
            for (int i = 0; i < encoded.size(); i++) {
                String echo = request.echo() ? prompts.text(request.prompts().get(i)) : "";
                for (int choice = 0; choice < options.choices(); choice++) {
                    GenerationRequest generation = options.request(id, i * options.choices(), choice, encoded.get(i), contextLength, null,
                            Set.of());
                    choices.add(new AnswerChoice(generation, () -> PLAIN.parser(false, ToolCatalog.EMPTY, () -> "")));
                    echoes.add(echo);
                }
            }
            boolean probabilities = options.logprobs() != GenerationRequest.NO_LOGPROBS;
            return answers.respond(exchange, id, choices, options,
                    head -> new TextFormat(head, echoes, probabilities ? logprobs : null));
        });
    }
}

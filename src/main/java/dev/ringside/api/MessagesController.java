package dev.ringside.api;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** {@code POST /v1/messages}, as Anthropic has it. */
@RestController
final class MessagesController {

    private final RequestBodies bodies;
    private final ChatDialect chat;
    private final ChatTurns turns;
    private final JsonBody json;
    private final ConnectionThreads threads;
    private final String modelId;

    MessagesController(RequestBodies bodies, ChatDialect chat, ChatTurns turns, JsonBody json, ConnectionThreads threads,
            ApiSettings settings) {
        this.threads = threads;
        this.bodies = bodies;
        this.chat = chat;
        this.turns = turns;
        this.json = json;
        this.modelId = settings.modelId();
    }

    @PostMapping({"/v1/messages", "/messages"})
    Mono<Void> create(ServerWebExchange exchange) {
        return bodies.read(exchange.getRequest()).flatMap(body -> {
            MessagesRequest request = MessagesParser.parse(body, false);
            String id = RequestId.create("msg_");
            ChatTurn turn = turn(request);
            ChatDialect.Prepared prepared = chat.prepare(id, request.chat(), turn);
            MessageHead head = new MessageHead(id, modelId, exchange.getAttribute(RequestId.ATTRIBUTE), prepared.promptTokens(),
                    request.thinking() != MessagesRequest.Thinking.HIDDEN);
            if (request.stream()) {
                return chat.stream(exchange, prepared, new MessageWriter(head), ClientConnection.of(exchange, threads));
            }
            return chat.whole(prepared)
                    .flatMap(answer -> JsonAnswer.write(exchange.getResponse(), json.write(MessageBody.of(head, answer, json))));
        });
    }

    @PostMapping({"/v1/messages/count_tokens", "/messages/count_tokens"})
    Mono<Void> countTokens(ServerWebExchange exchange) {
        return bodies.read(exchange.getRequest()).flatMap(body -> {
            MessagesRequest request = MessagesParser.parse(body, true);
            int tokens = chat.countTokens(request.chat(), turn(request));
            return JsonAnswer.write(exchange.getResponse(), json.write(new TokenCount(tokens)));
        });
    }

    private ChatTurn turn(MessagesRequest request) {
        ChatTurn turn = chat.parse(request.chat());
        if (request.thinking() == MessagesRequest.Thinking.DEFAULT) {
            return turn;
        }
        // What the client says to the template itself wins.
        Map<String, @Nullable Object> variables = new LinkedHashMap<>(
                turns.thinkingSwitch(request.thinking() != MessagesRequest.Thinking.OFF));
        variables.putAll(turn.templateVariables());
        return new ChatTurn(turn.messages(), turn.tools(), turn.format(), variables, turn.options());
    }

    record TokenCount(int inputTokens) {}
}

package dev.ringside.api;

import dev.ringside.chat.AssistantPart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Serves requests that were translated to a chat, and names what is refused as their clients did. */
final class ChatDialect {

    private final ChatRequestParser parser;
    private final ChatTurns turns;
    private final AnswerStream answers;
    private final JsonBody json;
    private final ErrorMapper errors;
    private final Duration pingInterval;

    ChatDialect(ChatRequestParser parser, ChatTurns turns, AnswerStream answers, JsonBody json, ErrorMapper errors, Duration pingInterval) {
        this.parser = parser;
        this.turns = turns;
        this.answers = answers;
        this.json = json;
        this.errors = errors;
        this.pingInterval = pingInterval;
    }

    /** @throws ApiException under the names of the client's own request */
    ChatTurn parse(ChatBody body) {
        return body.names().renaming(() -> parser.parse(body.json()), errors);
    }

    /** Renders, encodes and compiles: work for the prompt scheduler. */
    Prepared prepare(String id, ChatBody body, ChatTurn turn) {
        return new Prepared(body.names().renaming(() -> turns.prepare(id, turn), errors), body.names());
    }

    /**
     * Writes the answer as events; what fails before the first of them has a status of its own.
     *
     * @param connection where they are made
     */
    Mono<Void> stream(ServerWebExchange exchange, Prepared prepared, TurnWriter writer, ClientConnection connection) {
        Flux<byte[]> events = answers.encoded(prepared.generation().choices(), connection,
                () -> new TurnEncoder(writer, json, errors, pingInterval.toNanos(), System::nanoTime)::accept);
        return SseResponse.write(exchange.getResponse(), events.onErrorMap(failure -> prepared.names().rename(failure, errors)),
                connection);
    }

    Mono<Answer> whole(Prepared prepared) {
        return prepared.generation().whole().map(List::getFirst).onErrorMap(failure -> prepared.names().rename(failure, errors));
    }

    int countTokens(ChatBody body, ChatTurn turn) {
        return body.names().renaming(() -> turns.promptTokens(turn), errors).length;
    }

    /** A generation ready to run. */
    record Prepared(ChatGeneration generation, ParamNames names) {

        int promptTokens() {
            return generation.prompt().ids().length;
        }
    }

    /** A finished answer, as it would have been streamed. */
    static List<AssistantPart> parts(Answer answer) {
        List<AssistantPart> parts = new ArrayList<>();
        if (answer.reasoning() != null) {
            parts.add(new AssistantPart.Reasoning(answer.reasoning()));
        }
        parts.add(new AssistantPart.Content(answer.content()));
        for (int i = 0; i < answer.calls().size(); i++) {
            AnswerCall call = answer.calls().get(i);
            parts.add(new AssistantPart.ToolCallOpened(i, call.id(), call.name()));
            parts.add(new AssistantPart.ToolCallArguments(i, call.arguments()));
        }
        return parts;
    }
}

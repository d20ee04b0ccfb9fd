package dev.ringside.api;

import dev.ringside.tokenizer.SpecialTokens;
import dev.ringside.tokenizer.Tokenizer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;

/** {@code /v1/responses}: answers made of items, which are kept for a while so that a conversation can go on by id. */
@RestController
final class ResponsesController {

    private final RequestBodies bodies;
    private final ResponsesParser parser;
    private final ChatDialect chat;
    private final ResponseStore store;
    private final JsonBody json;
    private final Tokenizer tokenizer;
    private final ApiSettings settings;
    private final Clock clock;

    ResponsesController(RequestBodies bodies, ResponsesParser parser, ChatDialect chat, ResponseStore store, JsonBody json,
            Tokenizer tokenizer,
            ApiSettings settings, Clock apiClock) {
        this.bodies = bodies;
        this.parser = parser;
        this.chat = chat;
        this.store = store;
        this.json = json;
        this.tokenizer = tokenizer;
        this.settings = settings;
        this.clock = apiClock;
    }

    @PostMapping({"/v1/responses", "/responses"})
    Mono<Void> create(ServerWebExchange exchange) {
        return bodies.read(exchange.getRequest()).flatMap(body -> {
            String keyName = exchange.getAttribute(ServingFilter.KEY_NAME);
            ResponsesRequest request = parser.parse(body, keyName);
            String id = RequestId.create("resp_");
            ChatTurn turn = chat.parse(request.chat());
            ResponseHead head = new ResponseHead(id, now(), this::now, settings.modelId(), request.echo());
            ResponseWriter writer = new ResponseWriter(head, text -> tokenizer.encode(text, SpecialTokens.AS_TEXT).length,
                    (answer, output) -> keep(request, id, keyName, answer, output));
            ChatDialect.Prepared prepared = chat.prepare(id, request.chat(), turn);
            if (request.stream()) {
                // Not on the connection's own thread: its end is work, what was thought is counted and all of it is stored.
                return chat.stream(exchange, prepared, writer, ClientConnection.UNKNOWN);
            }
            return chat.whole(prepared)
                    .flatMap(answer -> JsonAnswer.write(exchange.getResponse(), json.write(whole(writer, answer))));
        });
    }

    @GetMapping({"/v1/responses/{id}", "/responses/{id}"})
    Mono<Void> find(@PathVariable String id, ServerWebExchange exchange) {
        if ("true".equals(exchange.getRequest().getQueryParams().getFirst("stream"))) {
            return Mono.error(ApiException.unsupported("stream", "A stored response can't be streamed again; leave stream out"));
        }
        return stored(id, exchange).flatMap(response -> JsonAnswer.write(exchange.getResponse(), response.body()));
    }

    @GetMapping({"/v1/responses/{id}/input_items", "/responses/{id}/input_items"})
    Mono<Void> input(@PathVariable String id, ServerWebExchange exchange) {
        return stored(id, exchange).flatMap(response -> JsonAnswer.write(exchange.getResponse(),
                json.write(new Listing("list", json.parse(response.input()), false))));
    }

    @DeleteMapping({"/v1/responses/{id}", "/responses/{id}"})
    Mono<Void> delete(@PathVariable String id, ServerWebExchange exchange) {
        if (!store.remove(id, exchange.getAttribute(ServingFilter.KEY_NAME))) {
            return Mono.error(notFound(id));
        }
        return JsonAnswer.write(exchange.getResponse(), json.write(new Deleted(id, "response", true)));
    }

    private Mono<StoredResponse> stored(String id, ServerWebExchange exchange) {
        StoredResponse response = store.find(id, exchange.getAttribute(ServingFilter.KEY_NAME));
        return response == null ? Mono.error(notFound(id)) : Mono.just(response);
    }

    private static ApiException notFound(String id) {
        return new ApiError(404, "No response with the id '" + Quote.shorten(Surrogates.replace(id)) + "' is stored here",
                ApiError.INVALID_REQUEST,
                "id", "response_not_found", null).toException();
    }

    private static Map<String, @Nullable Object> whole(ResponseWriter writer, Answer answer) {
        NamedEvents nobody = new NamedEvents(null);
        ChatDialect.parts(answer).forEach(part -> writer.part(part, nobody));
        return writer.finish(answer.reason(), answer.usage(), nobody);
    }

    private void keep(ResponsesRequest request, String id, @Nullable String keyName, Map<String, ? extends @Nullable Object> answer,
            List<ResponseItem> output) {
        if (!request.store()) {
            return;
        }
        List<JsonNode> input = request.input();
        List<Object> turn = new ArrayList<>(input);
        turn.addAll(output);
        List<byte[]> conversation = new ArrayList<>(request.before());
        conversation.add(json.write(turn));
        store.put(new StoredResponse(id, keyName, conversation, output.stream().map(ResponseItem::id).toList(), json.write(input),
                json.write(answer)));
    }

    private long now() {
        return clock.instant().getEpochSecond();
    }

    record Listing(String object, JsonNode data, boolean hasMore) {}

    record Deleted(String id, String object, boolean deleted) {}
}

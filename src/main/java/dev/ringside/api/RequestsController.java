package dev.ringside.api;

import dev.ringside.serving.RequestInfo;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** {@code /v1/requests}: what runs and what waits, never with any text of it, and its cancellation; of other keys' requests for admin keys only. */
@RestController
final class RequestsController {

    private final ActiveRequests requests;
    private final JsonBody json;

    RequestsController(ActiveRequests requests, JsonBody json) {
        this.requests = requests;
        this.json = json;
    }

    @GetMapping({"/v1/requests", "/requests"})
    Mono<Void> list(ServerWebExchange exchange) {
        String own = exchange.getAttribute(ApiKeyFilter.ONLY_OWN);
        List<Row> rows = requests.requests().stream().filter(info -> own == null || own.equals(info.keyName())).map(RequestsController::row)
                .toList();
        return JsonAnswer.write(exchange.getResponse(), json.write(new Listing("list", rows)));
    }

    @DeleteMapping({"/v1/requests/{id}", "/requests/{id}"})
    Mono<Void> cancel(@PathVariable String id, ServerWebExchange exchange) {
        if (!requests.cancel(id, exchange.getAttribute(ApiKeyFilter.ONLY_OWN))) {
            return Mono.error(new ApiError(404, "No request with the id '" + Quote.shorten(Surrogates.replace(id)) + "' runs or waits here",
                    ApiError.INVALID_REQUEST, "id", "request_not_found", null).toException());
        }
        return JsonAnswer.write(exchange.getResponse(), json.write(new Cancelled(id, "request", true)));
    }

    private static Row row(RequestInfo info) {
        return new Row(info.id(), "request", word(info.state()), word(info.priority()), millis(info.age()), info.promptTokens(),
                info.promptDone(), info.generated(), info.maxTokens(), info.keyName());
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static long millis(Duration age) {
        return age.toMillis();
    }

    record Listing(String object, List<Row> data) {}

    record Row(String id, String object, String state, String priority, long ageMs, int promptTokens, int promptTokensDone,
            int completionTokens, int maxTokens, @Nullable String key) {}

    record Cancelled(String id, String object, boolean cancelled) {}
}

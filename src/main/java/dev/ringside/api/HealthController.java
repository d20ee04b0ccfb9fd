package dev.ringside.api;

import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** {@code GET /health}: whether requests are taken, as llama.cpp's server and many gateways name it; Actuator says more. */
@RestController
final class HealthController {

    private static final String STATUS = "{\"status\":\"ok\"}";

    private final BooleanSupplier accepting;

    HealthController(ActiveRequests requests) {
        this.accepting = requests::accepting;
    }

    @GetMapping({"/health", "/v1/health"})
    Mono<Void> health(ServerWebExchange exchange) {
        if (!accepting.getAsBoolean()) {
            return Mono.error(ApiError.of(503, ApiError.UNAVAILABLE, "unavailable",
                    "No requests are taken: the model is being loaded, the server is shutting down, or the engine has stopped")
                    .toException());
        }
        return JsonAnswer.write(exchange.getResponse(), STATUS.getBytes(StandardCharsets.UTF_8));
    }
}

package dev.ringside.api;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** {@code POST /v1/embeddings}: says that a language model is served here, which is clearer than a path that is not there. */
@RestController
final class EmbeddingsController {

    private final String modelId;

    EmbeddingsController(ApiSettings settings) {
        this.modelId = settings.modelId();
    }

    @PostMapping({"/v1/embeddings", "/embeddings"})
    Mono<Void> refuse() {
        return Mono.error(ApiError.of(501, ApiError.INVALID_REQUEST, "unsupported_endpoint",
                "This server generates text with '" + modelId + "' and makes no embeddings; send them to a server with an embedding model")
                .toException());
    }
}

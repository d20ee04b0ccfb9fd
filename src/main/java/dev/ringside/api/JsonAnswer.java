package dev.ringside.api;

import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Mono;

/** Writes an answer in one piece. */
final class JsonAnswer {

    private JsonAnswer() {}

    static Mono<Void> write(ServerHttpResponse response, byte[] body) {
        response.getHeaders().setContentType(MediaType.APPLICATION_JSON);
        response.getHeaders().setContentLength(body.length);
        return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
    }
}

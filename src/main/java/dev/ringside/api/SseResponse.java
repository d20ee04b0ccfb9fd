package dev.ringside.api;

import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Writes a stream of server-sent events, each flushed at once. */
final class SseResponse {

    /** Tells nginx and its kin not to collect events. */
    static final String NO_BUFFERING = "X-Accel-Buffering";

    private SseResponse() {}

    /** Sends the events; when the first signal is an error nothing is sent, and the error is passed on with the response still open. */
    static Mono<Void> write(ServerHttpResponse response, Flux<byte[]> events, ClientConnection connection) {
        HttpHeaders headers = response.getHeaders();
        headers.setContentType(MediaType.TEXT_EVENT_STREAM);
        headers.setCacheControl(CacheControl.noCache());
        headers.set(NO_BUFFERING, "no");
        return response.writeWith(events.map(bytes -> connection.buffer(bytes, response.bufferFactory())));
    }
}

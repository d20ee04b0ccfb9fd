package dev.ringside.api;

import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import tools.jackson.databind.JsonNode;

/** Reads JSON bodies: bounded in size and time, parsed off the event loop. */
final class RequestBodies {

    private final JsonBody json;
    private final int maxBytes;
    private final Duration timeout;
    private final Scheduler workers;

    RequestBodies(JsonBody json, ApiSettings settings, Scheduler workers) {
        this.json = json;
        this.maxBytes = settings.maxBodyBytes();
        this.timeout = settings.bodyTimeout();
        this.workers = workers;
    }

    /** The body as JSON, emitted on a worker thread. */
    Mono<JsonNode> read(ServerHttpRequest request) {
        return Mono.defer(() -> {
            refuseOtherTypes(request);
            if (request.getHeaders().getContentLength() > maxBytes) {
                return Mono.error(tooLarge());
            }
            return DataBufferUtils.join(request.getBody().timeout(timeout), maxBytes)
                    .map(RequestBodies::bytes)
                    .onErrorMap(DataBufferLimitException.class, _ -> tooLarge())
                    .onErrorMap(TimeoutException.class, _ -> tooSlow())
                    .defaultIfEmpty(new byte[0])
                    .publishOn(workers)
                    .map(json::parse);
        });
    }

    private static byte[] bytes(DataBuffer buffer) {
        byte[] bytes = new byte[buffer.readableByteCount()];
        buffer.read(bytes);
        DataBufferUtils.release(buffer);
        return bytes;
    }

    private static void refuseOtherTypes(ServerHttpRequest request) {
        String sent = request.getHeaders().getFirst("Content-Type");
        if (sent != null && !isJson(sent)) {
            throw ApiError.of(415, ApiError.INVALID_REQUEST, "unsupported_media_type",
                    "The content type must be application/json, got '" + Quote.shorten(Surrogates.replace(sent)) + "'").toException();
        }
    }

    private static boolean isJson(String sent) {
        @Nullable MediaType type;
        try {
            type = MediaType.parseMediaType(sent);
        } catch (InvalidMediaTypeException _) {
            return false;
        }
        return MediaType.APPLICATION_JSON.equalsTypeAndSubtype(type)
                || "application".equals(type.getType()) && type.getSubtype().endsWith("+json");
    }

    private ApiException tooLarge() {
        return ApiError.of(413, ApiError.INVALID_REQUEST, "request_too_large",
                "The request body is larger than " + maxBytes + " bytes (ringside.api.max-body-bytes)").toException();
    }

    private ApiException tooSlow() {
        return ApiError.of(408, ApiError.INVALID_REQUEST, "request_timeout",
                "Nothing of the request body came for " + timeout.toSeconds() + " s (ringside.api.body-timeout)").toException();
    }
}

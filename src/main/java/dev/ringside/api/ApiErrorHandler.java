package dev.ringside.api;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.webflux.error.ErrorWebExceptionHandler;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.util.DisconnectedClientHelper;
import reactor.core.publisher.Mono;

/** Answers every failure in OpenAI's shape, or in Anthropic's on its paths; ahead of Spring Boot's own handler, whose body no OpenAI client reads. */
@Component
@Order(-2)
final class ApiErrorHandler implements ErrorWebExceptionHandler {

    private static final Logger LOG = LoggerFactory.getLogger(ApiErrorHandler.class);

    private final ErrorMapper errors;
    private final JsonBody json;

    ApiErrorHandler(ErrorMapper errors, JsonBody json) {
        this.errors = errors;
        this.json = json;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable cause) {
        ServerHttpResponse response = exchange.getResponse();
        if (response.isCommitted() || DisconnectedClientHelper.isClientDisconnectedException(cause)) {
            LOG.debug("Request {} ended early", exchange.<String>getAttribute(RequestId.ATTRIBUTE), cause);
            return Mono.error(cause);
        }
        ApiError error = errors.map(cause);
        log(exchange, error, cause);
        response.setStatusCode(HttpStatusCode.valueOf(error.status()));
        HttpHeaders headers = response.getHeaders();
        if (cause instanceof ErrorResponse declared) {
            // Such as Allow with 405.
            declared.getHeaders().forEach(headers::put);
        }
        headers.setContentType(MediaType.APPLICATION_JSON);
        headers.remove(HttpHeaders.CACHE_CONTROL);
        headers.remove(SseResponse.NO_BUFFERING);
        if (error.retryAfter() != null) {
            headers.set(HttpHeaders.RETRY_AFTER, Long.toString(Math.max(1, error.retryAfter().toSeconds())));
        }
        if (HttpMethod.HEAD.equals(exchange.getRequest().getMethod())) {
            return response.setComplete();
        }
        boolean messages = MessageErrorBody.isFor(exchange.getRequest().getPath().pathWithinApplication().value());
        byte[] body = json.write(messages ? MessageErrorBody.of(error, exchange.getAttribute(RequestId.ATTRIBUTE)) : ErrorBody.of(error));
        headers.setContentLength(body.length);
        return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
    }

    private static void log(ServerWebExchange exchange, ApiError error, Throwable cause) {
        String id = exchange.getAttribute(RequestId.ATTRIBUTE);
        if (error.status() == 500) {
            LOG.error("Request {} failed: {} {}", id, exchange.getRequest().getMethod(), exchange.getRequest().getPath(), cause);
        } else {
            LOG.debug("Request {} refused with {}: {}", id, error.status(), error.message());
        }
    }
}

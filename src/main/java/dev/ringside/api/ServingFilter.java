package dev.ringside.api;

import dev.ringside.serving.RequestScope;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/**
 * Gives every call of the API a {@link RequestScope}, which gathers what its requests come to; when all has ended the access log and the rate
 * limits hear of it.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
final class ServingFilter implements WebFilter {

    /** Exchange attribute with the name of the API key, a string; absent where no key is needed. */
    static final String KEY_NAME = "dev.ringside.api.keyName";
    /** What nginx logs of a client that closed the connection before there was an answer. */
    private static final int CLIENT_CLOSED = 499;

    private final @Nullable AccessLog accessLog;
    private final CallLimits limits;

    ServingFilter(ObjectProvider<AccessLog> accessLog, CallLimits limits) {
        this.accessLog = accessLog.getIfAvailable();
        this.limits = limits;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        String path = exchange.getRequest().getPath().pathWithinApplication().value();
        String operation = Operations.of(path);
        if (operation == null) {
            return chain.filter(exchange);
        }
        String id = exchange.getAttributeOrDefault(RequestId.ATTRIBUTE, "");
        String method = exchange.getRequest().getMethod().name();
        RequestScope scope = new RequestScope(id, operation, () -> exchange.getAttribute(KEY_NAME), done -> {
            limits.used(done);
            if (accessLog != null) {
                accessLog.write(done, method, path);
            }
        });
        return chain.filter(exchange).doFinally(end -> ended(exchange.getResponse(), scope, end)).contextWrite(scope::in);
    }

    private static void ended(ServerHttpResponse response, RequestScope scope, SignalType end) {
        if (end == SignalType.ON_ERROR && !response.isCommitted()) {
            // The error handler, further out, has yet to choose the status.
            response.beforeCommit(() -> Mono.fromRunnable(() -> scope.responded(status(response))));
        } else {
            scope.responded(end == SignalType.CANCEL && !response.isCommitted() ? CLIENT_CLOSED : status(response));
        }
    }

    private static int status(ServerHttpResponse response) {
        HttpStatusCode status = response.getStatusCode();
        return status == null ? 200 : status.value();
    }
}

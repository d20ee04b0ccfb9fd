package dev.ringside.api;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Gives every request an id, the client's own where it sent one, and returns it in {@code x-request-id}. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
final class RequestIdFilter implements WebFilter {

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        String sent = exchange.getRequest().getHeaders().getFirst(RequestId.HEADER);
        String id = sent != null && RequestId.acceptable(sent) ? sent : RequestId.create("req-");
        exchange.getAttributes().put(RequestId.ATTRIBUTE, id);
        exchange.getResponse().getHeaders().set(RequestId.HEADER, id);
        return chain.filter(exchange);
    }
}

package dev.ringside.api;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Holds callers to the limits of their keys; behind the filter that finds the key. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 3)
final class RateLimitFilter implements WebFilter {

    private final CallLimits limits;

    RateLimitFilter(CallLimits limits) {
        this.limits = limits;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        return Mono.defer(() -> {
            limits.check(exchange);
            return chain.filter(exchange);
        });
    }
}

package dev.ringside.api;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.cors.reactive.DefaultCorsProcessor;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Tells browsers which pages may call, before keys are looked at: a browser asks without one. Where no origin is allowed it does nothing. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
final class CorsFilter implements WebFilter {

    private final DefaultCorsProcessor processor = new DefaultCorsProcessor();
    private final @Nullable CorsConfiguration configuration;

    CorsFilter(ApiSettings settings) {
        this.configuration = settings.cors().allowedOrigins().isEmpty() ? null : configuration(settings.cors());
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (configuration == null) {
            return chain.filter(exchange);
        }
        // A refusal is already in the response.
        boolean allowed = processor.process(configuration, exchange);
        return allowed && !CorsUtils.isPreFlightRequest(exchange.getRequest()) ? chain.filter(exchange) : Mono.empty();
    }

    // Keys travel in headers of their own, so that no cookie is ever needed and any origin can be allowed without credentials.
    private static CorsConfiguration configuration(CorsSettings settings) {
        CorsConfiguration cors = new CorsConfiguration();
        cors.setAllowedOriginPatterns(settings.allowedOrigins());
        cors.setAllowedMethods(List.of("GET", "POST", "DELETE"));
        cors.setAllowedHeaders(List.of(CorsConfiguration.ALL));
        cors.setExposedHeaders(List.of(RequestId.HEADER, "retry-after", "x-ratelimit-limit-requests", "x-ratelimit-limit-tokens",
                "x-ratelimit-remaining-requests", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-requests",
                "x-ratelimit-reset-tokens"));
        cors.setMaxAge(settings.maxAge());
        return cors;
    }
}

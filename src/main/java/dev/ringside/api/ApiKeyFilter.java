package dev.ringside.api;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.PathContainer;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;

/** Where keys are configured, lets only requests through that carry one of them, except to the open paths (health). */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
final class ApiKeyFilter implements WebFilter {

    private static final String BEARER = "bearer ";

    private final List<byte[]> digests;
    private final List<PathPattern> open;

    ApiKeyFilter(ApiSettings settings) {
        this.digests = settings.keys().stream().map(ApiKeyFilter::digest).toList();
        this.open = settings.openPaths().stream().map(PathPatternParser.defaultInstance::parse).toList();
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (digests.isEmpty() || isOpen(exchange.getRequest().getPath().pathWithinApplication())) {
            return chain.filter(exchange);
        }
        String header = exchange.getRequest().getHeaders().getFirst(HttpHeaders.AUTHORIZATION);
        if (isKnown(header)) {
            return chain.filter(exchange);
        }
        exchange.getResponse().getHeaders().set(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        return Mono.error(ApiError.of(401, ApiError.AUTHENTICATION, header == null ? "missing_api_key" : "invalid_api_key",
                header == null
                        ? "No API key: send the header 'Authorization: Bearer KEY'"
                        : "The API key is not accepted by this server")
                .toException());
    }

    private boolean isOpen(PathContainer path) {
        return open.stream().anyMatch(pattern -> pattern.matches(path));
    }

    private boolean isKnown(@Nullable String header) {
        if (header == null || !header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return false;
        }
        byte[] sent = digest(header.substring(BEARER.length()).strip());
        // Digests have one length, and every key is compared: the time taken tells nothing.
        boolean known = false;
        for (byte[] digest : digests) {
            known |= MessageDigest.isEqual(digest, sent);
        }
        return known;
    }

    private static byte[] digest(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }
}

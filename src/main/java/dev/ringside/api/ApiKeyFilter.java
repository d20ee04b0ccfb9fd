package dev.ringside.api;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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

/**
 * Where keys are configured, lets only requests through that carry one of them, except to the open paths (health). Keys come as OpenAI's
 * clients send them ({@code Authorization: Bearer KEY}) or as Anthropic's do ({@code x-api-key: KEY}).
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 2)
final class ApiKeyFilter implements WebFilter {

    static final String KEY_HEADER = "x-api-key";

    /** Exchange attribute with the name of the key whose requests the caller may see and cancel; absent where these are all. */
    static final String ONLY_OWN = "dev.ringside.api.onlyOwn";

    private static final Logger LOG = LoggerFactory.getLogger(ApiKeyFilter.class);
    private static final String BEARER = "bearer ";

    private final List<ApiKey> keys;
    private final List<PathPattern> open;

    ApiKeyFilter(ApiSettings settings) {
        this.keys = settings.keys();
        this.open = settings.openPaths().stream().map(PathPatternParser.defaultInstance::parse).toList();
        List<String> plain = keys.stream().filter(ApiKey::plain).map(ApiKey::name).toList();
        if (!plain.isEmpty()) {
            LOG.warn("ringside.api.keys holds keys as plain text ({}); write NAME=sha256:HEX, where HEX is what "
                    + "'printf %s KEY | sha256sum' prints", String.join(", ", plain));
        }
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (keys.isEmpty()) {
            return chain.filter(exchange);
        }
        HttpHeaders headers = exchange.getRequest().getHeaders();
        String authorization = headers.getFirst(HttpHeaders.AUTHORIZATION);
        String keyHeader = headers.getFirst(KEY_HEADER);
        ApiKey key = find(bearer(authorization), keyHeader);
        if (key != null) {
            exchange.getAttributes().put(ServingFilter.KEY_NAME, key.name());
            if (!key.admin()) {
                exchange.getAttributes().put(ONLY_OWN, key.name());
            }
            return chain.filter(exchange);
        }
        if (isOpen(exchange.getRequest().getPath().pathWithinApplication())) {
            return chain.filter(exchange);
        }
        exchange.getResponse().getHeaders().set(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        boolean none = authorization == null && keyHeader == null;
        return Mono.error(ApiError.of(401, ApiError.AUTHENTICATION, none ? "missing_api_key" : "invalid_api_key",
                none
                        ? "No API key: send the header 'Authorization: Bearer KEY' or 'x-api-key: KEY'"
                        : "The API key is not accepted by this server")
                .toException());
    }

    private boolean isOpen(PathContainer path) {
        return open.stream().anyMatch(pattern -> pattern.matches(path));
    }

    private static @Nullable String bearer(@Nullable String authorization) {
        return authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? authorization.substring(BEARER.length())
                : null;
    }

    /** The key that one of the two names; every key is compared, so that the time taken tells nothing. */
    private @Nullable ApiKey find(@Nullable String first, @Nullable String second) {
        ApiKey found = null;
        for (String sent : new @Nullable String[] {first, second}) {
            if (sent == null) {
                continue;
            }
            byte[] digest = ApiKey.digest(sent.strip());
            for (ApiKey key : keys) {
                if (key.matches(digest)) {
                    found = key;
                }
            }
        }
        return found;
    }
}

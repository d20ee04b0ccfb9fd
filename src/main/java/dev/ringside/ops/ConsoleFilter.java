package dev.ringside.ops;

import java.util.Set;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Lets the console's page load nothing from elsewhere and run no script but its own, and hides it where it is switched off. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 2)
final class ConsoleFilter implements WebFilter {

    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    private static final Set<String> ROOTS = Set.of("/", "/index.html");
    private static final String FILES = "/console/";

    private final boolean enabled;

    ConsoleFilter(@Value("${ringside.console.enabled:true}") boolean enabled) {
        this.enabled = enabled;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        String path = exchange.getRequest().getPath().pathWithinApplication().value();
        if (!ROOTS.contains(path) && !path.startsWith(FILES)) {
            return chain.filter(exchange);
        }
        ServerHttpResponse response = exchange.getResponse();
        if (!enabled) {
            response.setStatusCode(HttpStatus.NOT_FOUND);
            return response.setComplete();
        }
        HttpHeaders headers = response.getHeaders();
        headers.set("Content-Security-Policy", POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        return chain.filter(exchange);
    }
}

package dev.ringside.api;

import dev.ringside.serving.RateLimits;
import dev.ringside.serving.RequestRecord;
import dev.ringside.serving.RequestScope;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;

/** Rate limits of API keys, applied to calls that generate, with OpenAI's headers. */
@Component
final class CallLimits {

    private final @Nullable RateLimits limits;

    CallLimits(ObjectProvider<RateLimits> limits) {
        RateLimits configured = limits.getIfAvailable();
        this.limits = configured != null && configured.isEnabled() ? configured : null;
    }

    /**
     * Counts a call and says in its response what is left.
     *
     * @throws dev.ringside.serving.RateLimitedException when nothing was
     */
    void check(ServerWebExchange exchange) {
        String operation = Operations.of(exchange.getRequest().getPath().pathWithinApplication().value());
        if (limits == null || operation == null || !Operations.generates(operation)
                || !HttpMethod.POST.equals(exchange.getRequest().getMethod())) {
            return;
        }
        RateLimits.Decision decision = limits.take(key(exchange.getAttribute(ServingFilter.KEY_NAME)));
        HttpHeaders headers = exchange.getResponse().getHeaders();
        write(headers, "requests", decision.requests());
        write(headers, "tokens", decision.tokens());
        if (decision.refusal() != null) {
            throw decision.refusal();
        }
    }

    /** A call has ended: its tokens are taken from its key. */
    void used(RequestScope call) {
        if (limits != null) {
            int tokens = 0;
            for (RequestRecord request : call.records()) {
                // What was refused was not computed.
                tokens += request.finish() == null && request.completionTokens() == 0 ? 0 : request.promptTokens();
                tokens += request.completionTokens();
            }
            limits.used(key(call.keyName()), tokens);
        }
    }

    private static String key(@Nullable String name) {
        return name == null ? RateLimits.ANONYMOUS : name;
    }

    private static void write(HttpHeaders headers, String what, RateLimits.@Nullable Budget budget) {
        if (budget != null) {
            headers.set("x-ratelimit-limit-" + what, Integer.toString(budget.limit()));
            headers.set("x-ratelimit-remaining-" + what, Integer.toString(budget.remaining()));
            headers.set("x-ratelimit-reset-" + what, Math.ceilDiv(budget.reset().toMillis(), 1000) + "s");
        }
    }
}

package dev.ringside.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.ringside.serving.RateLimitedException;
import dev.ringside.serving.RateLimits;
import dev.ringside.serving.RequestScope;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** The access log and rate limits of calls. */
class ServingFilterTest {

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger = new LoggerContext().getLogger(AccessLog.LOGGER);
    private final AtomicReference<RequestScope> seen = new AtomicReference<>();
    private final WebFilterChain answering = exchange -> Mono.deferContextual(context -> {
        seen.set(RequestScope.of(context));
        exchange.getResponse().setStatusCode(HttpStatus.OK);
        return exchange.getResponse().setComplete();
    });

    ServingFilterTest() {
        lines.start();
        logger.addAppender(lines);
    }

    @Test
    void everyCallIsOneLine() {
        MockServerWebExchange exchange = post("/v1/chat/completions", "team-a");
        filter(null).filter(exchange, answering).block();

        assertThat(seen.get().operation()).isEqualTo("chat");
        assertThat(seen.get().keyName()).isEqualTo("team-a");
        assertThat(line()).isEqualTo("id=req-1 key=team-a method=POST path=/v1/chat/completions status=200");
    }

    @Test
    void aRefusedCallIsLoggedWithTheStatusThatTheErrorHandlerChooses() {
        MockServerWebExchange exchange = post("/v1/completions", null);
        filter(null).filter(exchange, _ -> Mono.error(new IllegalStateException("no"))).onErrorResume(_ -> {
            exchange.getResponse().setStatusCode(HttpStatus.TOO_MANY_REQUESTS);
            return exchange.getResponse().setComplete();
        }).block();

        assertThat(line()).isEqualTo("id=req-1 key=- method=POST path=/v1/completions status=429");
    }

    @Test
    void aClientThatLeavesIsLoggedToo() {
        filter(null).filter(post("/v1/completions", null), _ -> Mono.never()).subscribe().dispose();

        assertThat(line()).endsWith("status=499");
    }

    @Test
    void whatAClientSendsBreaksNoLine() {
        MockServerWebExchange exchange = post("/v1/completions", "a b\n\"c=d");
        filter(null).filter(exchange, answering).block();

        assertThat(line()).contains("key=a_b__c_d ");
    }

    @Test
    void actuatorAndHealthAreNoCalls() {
        filter(null).filter(post("/actuator/health", null), answering).block();
        filter(null).filter(post("/", null), answering).block();

        assertThat(lines.list).isEmpty();
        assertThat(seen.get()).isNull();
    }

    @Test
    void limitsAreInTheHeadersAndInTheEndRefuse() {
        RateLimits limits = new RateLimits(2, 1000);
        RateLimitFilter filter = new RateLimitFilter(calls(limits));
        MockServerWebExchange first = post("/v1/chat/completions", "team-a");
        filter.filter(first, answering).block();
        HttpHeaders headers = first.getResponse().getHeaders();
        assertThat(headers.getFirst("x-ratelimit-limit-requests")).isEqualTo("2");
        assertThat(headers.getFirst("x-ratelimit-remaining-requests")).isEqualTo("1");
        assertThat(headers.getFirst("x-ratelimit-reset-requests")).matches("\\d+s");
        assertThat(headers.getFirst("x-ratelimit-remaining-tokens")).isEqualTo("1000");
        filter.filter(post("/v1/chat/completions", "team-a"), answering).block();

        MockServerWebExchange third = post("/v1/chat/completions", "team-a");
        assertThatThrownBy(() -> filter.filter(third, answering).block()).isInstanceOf(RateLimitedException.class);
        assertThat(third.getResponse().getHeaders().getFirst("x-ratelimit-remaining-requests")).isEqualTo("0");
        filter.filter(post("/v1/chat/completions", "team-b"), answering).block();
        filter.filter(post("/v1/tokenize", "team-a"), answering).block();
    }

    @Test
    void aRefusalHasAStatusACodeAndATimeToComeBack() {
        RateLimits limits = new RateLimits(1, 0);
        limits.take("a");
        ApiError error = new ErrorMapper().map(limits.take("a").refusal());

        assertThat(error.status()).isEqualTo(429);
        assertThat(error.code()).isEqualTo("rate_limit_exceeded");
        assertThat(error.retryAfter()).isPositive();
    }

    private String line() {
        assertThat(lines.list).hasSize(1);
        return lines.list.getFirst().getFormattedMessage();
    }

    private ServingFilter filter(@Nullable RateLimits limits) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        beans.addBean("accessLog", new AccessLog(logger, "sample", Runnable::run));
        return new ServingFilter(beans.getBeanProvider(AccessLog.class), calls(limits));
    }

    private static CallLimits calls(@Nullable RateLimits limits) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        if (limits != null) {
            beans.addBean("limits", limits);
        }
        return new CallLimits(beans.getBeanProvider(RateLimits.class));
    }

    private static MockServerWebExchange post(String path, @Nullable String keyName) {
        MockServerWebExchange exchange = MockServerWebExchange.from(MockServerHttpRequest.post(path));
        exchange.getAttributes().put(RequestId.ATTRIBUTE, "req-1");
        if (keyName != null) {
            exchange.getAttributes().put(ServingFilter.KEY_NAME, keyName);
        }
        return exchange;
    }
}

package dev.ringside.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimitsTest {

    private final AtomicLong now = new AtomicLong(1_000_000);

    @Test
    void requestsOfAMinuteAreCountedForEachKey() {
        RateLimits limits = new RateLimits(2, 0, now::get);

        RateLimits.Decision first = limits.take("a");
        assertThat(first.refusal()).isNull();
        assertThat(first.requests()).isEqualTo(new RateLimits.Budget(2, 1, Duration.ofMinutes(1)));
        assertThat(first.tokens()).isNull();
        assertThat(limits.take("a").refusal()).isNull();
        pass(20);
        RateLimits.Decision third = limits.take("a");
        assertThat(third.refusal()).hasMessageContaining("2 requests per minute");
        assertThat(third.refusal().retryAfter()).contains(Duration.ofSeconds(40));
        assertThat(limits.take("b").refusal()).isNull();
    }

    @Test
    void theNextMinuteBeginsAnew() {
        RateLimits limits = new RateLimits(1, 0, now::get);
        limits.take("a");
        assertThat(limits.take("a").refusal()).isNotNull();

        pass(60);

        assertThat(limits.take("a").refusal()).isNull();
    }

    @Test
    void tokensAreTakenWhenTheyAreKnown() {
        RateLimits limits = new RateLimits(0, 100, now::get);
        limits.take("a");
        limits.used("a", 60);
        assertThat(limits.take("a").tokens()).isEqualTo(new RateLimits.Budget(100, 40, Duration.ofMinutes(1)));
        limits.used("a", 60);

        RateLimits.Decision refused = limits.take("a");

        assertThat(refused.refusal()).hasMessageContaining("100 tokens per minute");
        assertThat(refused.tokens().remaining()).isZero();
        assertThat(refused.refusal().retryAfter()).contains(Duration.ofMinutes(1));
    }

    @Test
    void whatWasTakenTooMuchIsMissingLater() {
        RateLimits limits = new RateLimits(0, 100, now::get);
        limits.take("a");
        limits.used("a", 350);

        RateLimitedException refusal = limits.take("a").refusal();
        assertThat(refusal.retryAfter()).contains(Duration.ofMinutes(3));
        pass(179);
        assertThat(limits.take("a").refusal()).isNotNull();
        pass(1);
        assertThat(limits.take("a").tokens().remaining()).isEqualTo(50);
    }

    @Test
    void aRefusedRequestTakesNoTokensAndNoRequest() {
        RateLimits limits = new RateLimits(5, 10, now::get);
        limits.take("a");
        limits.used("a", 10);

        assertThat(limits.take("a").refusal()).isNotNull();
        assertThat(limits.take("a").requests().remaining()).isEqualTo(4);
    }

    private void pass(int seconds) {
        now.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }
}

package dev.ringside.serving;

import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests and tokens a key may use in a minute. A request takes its permit when it comes. Its tokens, prompt and answer, are known and taken
 * when it has ended, so the last request of a minute may go over the limit; what it took too much is missing in the next minute. Thread safe.
 */
public final class RateLimits {

    /** Key of requests that carry none. */
    public static final String ANONYMOUS = "anonymous";

    private static final Duration PERIOD = Duration.ofMinutes(1);
    /** Debts may take that long to be paid off. */
    private static final Duration LONGEST_DEBT = Duration.ofDays(7);

    /**
     * What a request found.
     *
     * @param requests its key's requests, null when they have no limit
     * @param tokens its key's tokens, null when they have no limit
     * @param refusal why it must not go on, or null
     */
    public record Decision(@Nullable Budget requests, @Nullable Budget tokens, @Nullable RateLimitedException refusal) {}

    /**
     * One limit of one key.
     *
     * @param limit in a minute
     * @param remaining of these now, not below 0
     * @param reset until all of them are there again
     */
    public record Budget(int limit, int remaining, Duration reset) {}

    private record Limits(@Nullable RateLimiter requests, @Nullable RateLimiter tokens, long since) {}

    private final int requestsPerMinute;
    private final int tokensPerMinute;
    private final LongSupplier clock;
    private final Map<String, Limits> keys = new ConcurrentHashMap<>();

    /** Limits of 0 are none. */
    public RateLimits(int requestsPerMinute, int tokensPerMinute) {
        this(requestsPerMinute, tokensPerMinute, System::nanoTime);
    }

    /** @param clock nanoseconds that only grow */
    RateLimits(int requestsPerMinute, int tokensPerMinute, LongSupplier clock) {
        this.requestsPerMinute = requestsPerMinute;
        this.tokensPerMinute = tokensPerMinute;
        this.clock = clock;
    }

    /** Whether there is any limit. */
    public boolean isEnabled() {
        return requestsPerMinute > 0 || tokensPerMinute > 0;
    }

    /** @param keyName one of the configured keys, or {@link #ANONYMOUS}: a limiter is kept for each */
    public Decision take(String keyName) {
        Limits limits = keys.computeIfAbsent(keyName, this::limits);
        Duration reset = untilNextMinute(limits);
        RateLimitedException refusal = null;
        int tokensLeft = limits.tokens() == null ? 1 : limits.tokens().getMetrics().getAvailablePermissions();
        if (tokensLeft <= 0) {
            Duration debt = PERIOD.multipliedBy(-tokensLeft / Math.max(1, tokensPerMinute));
            refusal = new RateLimitedException("tokens", tokensPerMinute, keyName, wholeSeconds(reset.plus(debt)));
        } else if (limits.requests() != null && !limits.requests().acquirePermission()) {
            refusal = new RateLimitedException("requests", requestsPerMinute, keyName, wholeSeconds(reset));
        }
        return new Decision(budget(limits.requests(), reset), budget(limits.tokens(), reset), refusal);
    }

    /** A request has used so many tokens. */
    public void used(String keyName, int tokens) {
        Limits limits = keys.get(keyName);
        if (limits != null && limits.tokens() != null && tokens > 0) {
            long _ = limits.tokens().reservePermission(tokens);
        }
    }

    private Limits limits(String keyName) {
        long since = clock.getAsLong();
        return new Limits(limiter(keyName, requestsPerMinute, Duration.ZERO), limiter(keyName, tokensPerMinute, LONGEST_DEBT), since);
    }

    private @Nullable RateLimiter limiter(String keyName, int limit, Duration debt) {
        if (limit == 0) {
            return null;
        }
        RateLimiterConfig config = RateLimiterConfig.custom().limitForPeriod(limit).limitRefreshPeriod(PERIOD).timeoutDuration(debt)
                .build();
        return RateLimiter.of(keyName, config, clock::getAsLong);
    }

    private Duration untilNextMinute(Limits limits) {
        return PERIOD.minusNanos((clock.getAsLong() - limits.since()) % PERIOD.toNanos());
    }

    private static @Nullable Budget budget(@Nullable RateLimiter limiter, Duration reset) {
        if (limiter == null) {
            return null;
        }
        int limit = limiter.getRateLimiterConfig().getLimitForPeriod();
        return new Budget(limit, Math.max(0, limiter.getMetrics().getAvailablePermissions()), reset);
    }

    private static Duration wholeSeconds(Duration wait) {
        return Duration.ofSeconds(wait.plusNanos(999_999_999).toSeconds());
    }
}

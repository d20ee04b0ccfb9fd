package dev.ringside.serving;

import io.github.resilience4j.timelimiter.TimeLimiter;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/** Time limits of requests: for all of one and for its first token. */
final class Deadlines {

    /** What ends a request whose time is up. */
    interface Expiry {

        /** @param reason what its client is told when it has no token yet, made from an estimate of when to come back */
        void expired(Ticket ticket, Function<Duration, ServingException> reason);
    }

    /** The running clocks of one request. Thread safe. */
    static final class Timers {

        private @Nullable Disposable whole;
        private @Nullable Disposable first;
        private @Nullable TimeLimiter limiter;
        private boolean ended;

        private synchronized void set(@Nullable Disposable wholeTimer, @Nullable Disposable firstTimer, TimeLimiter firstLimiter) {
            whole = wholeTimer;
            first = firstTimer;
            limiter = firstLimiter;
            if (ended) {
                end();
            }
        }

        /** The first token is there. */
        synchronized void firstToken() {
            if (first != null) {
                first.dispose();
                first = null;
                if (limiter != null) {
                    limiter.onSuccess();
                }
            }
        }

        synchronized void end() {
            ended = true;
            if (first != null) {
                first.dispose();
                first = null;
            }
            if (whole != null) {
                whole.dispose();
                whole = null;
            }
        }
    }

    private final Scheduler timer;
    private final Duration requestTimeout;
    private final Duration firstTokenTimeout;
    private final TimeLimiter firstToken;
    private final Expiry expiry;

    /** @param firstToken has the limit for the first token as {@code timeoutDuration} and counts */
    Deadlines(Scheduler timer, SchedulerOptions options, TimeLimiter firstToken, Expiry expiry) {
        this.timer = timer;
        this.requestTimeout = options.requestTimeout();
        this.firstTokenTimeout = options.firstTokenTimeout();
        this.firstToken = firstToken;
        this.expiry = expiry;
    }

    /** Sets the clocks of a request that has arrived. */
    void begin(Ticket ticket) {
        Duration own = ticket.account.request.timeout();
        Duration limit = own == null || !requestTimeout.isZero() && requestTimeout.compareTo(own) < 0 ? requestTimeout : own;
        if (limit.isZero() && firstTokenTimeout.isZero()) {
            return;
        }
        Disposable whole = limit.isZero()
                ? null
                : in(limit, () -> expiry.expired(ticket,
                        retry -> DeadlineExceededException.whole(limit, retry)));
        Disposable first = firstTokenTimeout.isZero() ? null : in(firstTokenTimeout, () -> expireFirst(ticket));
        ticket.timers.set(whole, first, firstToken);
    }

    private void expireFirst(Ticket ticket) {
        if (!ticket.account.hasToken()) {
            firstToken.onError(new TimeoutException(firstToken.getName()));
            expiry.expired(ticket, retry -> DeadlineExceededException.firstToken(firstTokenTimeout, retry));
        }
    }

    private Disposable in(Duration delay, Runnable action) {
        return timer.schedule(action, delay.toMillis(), TimeUnit.MILLISECONDS);
    }
}

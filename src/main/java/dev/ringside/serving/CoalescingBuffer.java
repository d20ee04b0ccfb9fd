package dev.ringside.serving;

import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationEvent.Completed;
import dev.ringside.engine.GenerationEvent.PromptProgress;
import dev.ringside.engine.GenerationEvent.TextDelta;
import dev.ringside.engine.TokenLogprob;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * Between the engine and a client of any speed. While the client keeps up, every event passes as it is; while it does not, text is joined
 * and only the latest progress is kept. So it holds at most one progress, one text and one end, the text is bounded by {@code max_tokens},
 * and the engine never waits: it appends under a lock that is held for nothing else than that, and leaves word with the client's executor, unless
 * it already has or the client has not asked for anything.
 */
final class CoalescingBuffer implements Subscription, Runnable {

    private static final Runnable CANCELLED = () -> {
    };

    private final CoreSubscriber<? super GenerationEvent> client;
    private final Executor delivery;
    private final AtomicInteger draining = new AtomicInteger();
    private final AtomicLong requested = new AtomicLong();
    private final AtomicReference<@Nullable Runnable> onCancel = new AtomicReference<>();
    private @Nullable PromptProgress progress;
    private @Nullable TextDelta text;
    private @Nullable StringBuilder joined;
    private int joinedTokens;
    private List<TokenLogprob> joinedLogprobs = List.of();
    private @Nullable Completed completed;
    private @Nullable Throwable failure;
    private boolean ended;
    /** Whether the client was told of the end; belongs to the thread that drains. */
    private boolean told;

    /** @param delivery where the client hears of events */
    CoalescingBuffer(CoreSubscriber<? super GenerationEvent> client, Executor delivery) {
        this.client = client;
        this.delivery = delivery;
    }

    /** Says what is to be done when the client leaves, at once if it has left. */
    void onCancel(Runnable action) {
        if (!onCancel.compareAndSet(null, action)) {
            action.run();
        }
    }

    boolean isCancelled() {
        return onCancel.get() == CANCELLED;
    }

    void add(GenerationEvent event) {
        synchronized (this) {
            switch (event) {
                case PromptProgress latest -> progress = latest;
                case TextDelta delta -> join(delta);
                case Completed end -> completed = end;
            }
        }
        if (requested.get() > 0) {
            wake();
        }
    }

    void complete(Completed end) {
        synchronized (this) {
            completed = end;
            ended = true;
        }
        wake();
    }

    void fail(Throwable cause) {
        synchronized (this) {
            failure = cause;
            ended = true;
        }
        wake();
    }

    @Override
    public void request(long n) {
        if (Operators.validate(n)) {
            requested.accumulateAndGet(n, Operators::addCap);
            wake();
        }
    }

    @Override
    public void cancel() {
        Runnable action = onCancel.getAndSet(CANCELLED);
        if (action != null) {
            action.run();
        }
    }

    /** One thread at a time; others leave it a note and go. */
    private void wake() {
        if (draining.getAndIncrement() != 0) {
            return;
        }
        try {
            delivery.execute(this);
        } catch (RejectedExecutionException e) {
            // Its connection has gone together with the thread that served it.
            cancel();
        }
    }

    /** Hands over what the client has asked for. */
    @Override
    public void run() {
        int notes = draining.get();
        do {
            emit();
            notes = draining.addAndGet(-notes);
        } while (notes != 0);
    }

    private void emit() {
        while (requested.get() > 0) {
            if (isCancelled()) {
                return;
            }
            GenerationEvent next = poll();
            if (next == null) {
                break;
            }
            if (requested.get() != Long.MAX_VALUE) {
                requested.decrementAndGet();
            }
            client.onNext(next);
        }
        Throwable cause;
        synchronized (this) {
            if (told || !ended || progress != null || text != null || completed != null || isCancelled()) {
                return;
            }
            cause = failure;
        }
        told = true;
        if (cause != null) {
            client.onError(cause);
        } else {
            client.onComplete();
        }
    }

    private void join(TextDelta delta) {
        TextDelta first = text;
        if (first == null) {
            text = delta;
            return;
        }
        if (joined == null) {
            joined = new StringBuilder(first.text());
            joinedTokens = first.tokens();
            joinedLogprobs = first.logprobs().isEmpty() && delta.logprobs().isEmpty() ? List.of() : new ArrayList<>(first.logprobs());
        }
        joined.append(delta.text());
        joinedTokens += delta.tokens();
        if (!delta.logprobs().isEmpty()) {
            if (joinedLogprobs.isEmpty()) {
                joinedLogprobs = new ArrayList<>();
            }
            joinedLogprobs.addAll(delta.logprobs());
        }
    }

    private synchronized @Nullable GenerationEvent poll() {
        @Nullable GenerationEvent next;
        if (progress != null) {
            next = progress;
            progress = null;
        } else if (text != null) {
            next = joined == null ? text : new TextDelta(joined.toString(), joinedTokens, joinedLogprobs);
            text = null;
            joined = null;
        } else if (ended) {
            // Not before the stream itself has ended, by when the place is free: who sees the end may come back at once.
            next = completed;
            completed = null;
        } else {
            next = null;
        }
        return next;
    }
}

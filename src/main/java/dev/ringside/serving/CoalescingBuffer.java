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
 *
 * <p>Written for tokens that find all of this outside of the processor's caches, as those of many streams do: state is under the one lock rather
 * than in atomic variables of its own, and text is copied, since a reference from an old object to a new one costs the collector's barrier more
 * than the few bytes that a token has.
 */
final class CoalescingBuffer implements Subscription, Delivery.Task {

    private static final Runnable CANCELLED = () -> {
    };

    /** Room for the text of a few tokens; one that took more is not kept. */
    private static final int USUAL_TEXT = 64;

    private final CoreSubscriber<? super GenerationEvent> client;
    private final Executor delivery;
    private final Delivery.@Nullable Foreseeing foreseeing;
    private final AtomicReference<@Nullable Runnable> onCancel = new AtomicReference<>();
    // From here on: under the lock.
    private long requested;
    /** Whether word was left with the executor, and it has not yet found that there is nothing to do. */
    private boolean called;
    private @Nullable PromptProgress progress;
    /** Whether there is a delta, which may be without text. */
    private boolean hasText;
    private StringBuilder text = new StringBuilder(USUAL_TEXT);
    private int tokens;
    private List<TokenLogprob> logprobs = List.of();
    private @Nullable Completed completed;
    private @Nullable Throwable failure;
    private boolean ended;
    /** Whether the client was told of the end. */
    private boolean told;

    /** @param delivery where the client hears of events */
    CoalescingBuffer(CoreSubscriber<? super GenerationEvent> client, Executor delivery) {
        this.client = client;
        this.delivery = delivery;
        this.foreseeing = delivery instanceof Delivery.Foreseeing able ? able : null;
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

    /** Something will be added soon, on the same thread: so as {@link dev.ringside.engine.GenerationListener#lookAhead}. */
    int expect() {
        if (foreseeing != null) {
            foreseeing.expect(this);
        }
        return tokens + text.capacity();
    }

    @Override
    public int lookAhead() {
        return tokens + text.capacity() + (isCancelled() ? 1 : 0)
                + (client instanceof Delivery.Foresight foresight ? foresight.lookAhead() : 0);
    }

    @Override
    public void undeliverable() {
        // Its connection has gone together with the thread that served it.
        cancel();
    }

    void add(GenerationEvent event) {
        boolean call;
        synchronized (this) {
            switch (event) {
                case PromptProgress latest -> progress = latest;
                case TextDelta delta -> join(delta);
                case Completed end -> completed = end;
            }
            call = mustCall();
        }
        if (call) {
            call();
        }
    }

    void complete(Completed end) {
        end(end, null);
    }

    void fail(Throwable cause) {
        end(null, cause);
    }

    private void end(@Nullable Completed end, @Nullable Throwable cause) {
        boolean call;
        synchronized (this) {
            completed = end == null ? completed : end;
            failure = cause == null ? failure : cause;
            ended = true;
            call = mustCall();
        }
        if (call) {
            call();
        }
    }

    @Override
    public void request(long n) {
        if (Operators.validate(n)) {
            boolean call;
            synchronized (this) {
                requested = Operators.addCap(requested, n);
                call = mustCall();
            }
            if (call) {
                call();
            }
        }
    }

    @Override
    public void cancel() {
        Runnable action = onCancel.getAndSet(CANCELLED);
        if (action != null) {
            action.run();
        }
    }

    /** Whether there is something to tell the client, and nobody was called to do it. */
    private boolean mustCall() {
        if (called || !(holdsEvents() ? requested > 0 : ended && !told)) {
            return false;
        }
        called = true;
        return true;
    }

    private boolean holdsEvents() {
        return hasText || progress != null || completed != null;
    }

    private void call() {
        try {
            delivery.execute(this);
        } catch (RejectedExecutionException e) {
            undeliverable();
        }
    }

    /** Hands over what the client has asked for. */
    @Override
    public void run() {
        while (true) {
            GenerationEvent next;
            Throwable cause;
            synchronized (this) {
                next = take();
                if (next == null) {
                    // What comes from here on calls again.
                    called = false;
                    if (told || !ended || holdsEvents() || isCancelled()) {
                        return;
                    }
                    told = true;
                }
                cause = failure;
            }
            if (next != null) {
                client.onNext(next);
            } else if (cause != null) {
                client.onError(cause);
                return;
            } else {
                client.onComplete();
                return;
            }
        }
    }

    private void join(TextDelta delta) {
        hasText = true;
        text.append(delta.text());
        tokens += delta.tokens();
        if (!delta.logprobs().isEmpty()) {
            if (logprobs.isEmpty()) {
                logprobs = new ArrayList<>(delta.logprobs().size());
            }
            logprobs.addAll(delta.logprobs());
        }
    }

    /** What the client is to hear next, if it has asked for anything. */
    private @Nullable GenerationEvent take() {
        if (requested == 0 || isCancelled()) {
            return null;
        }
        GenerationEvent next = poll();
        if (next != null && requested != Long.MAX_VALUE) {
            requested--;
        }
        return next;
    }

    private @Nullable GenerationEvent poll() {
        @Nullable GenerationEvent next;
        if (progress != null) {
            next = progress;
            progress = null;
        } else if (hasText) {
            next = delta();
        } else if (ended) {
            // Not before the stream itself has ended, by when the place is free: who sees the end may come back at once.
            next = completed;
            completed = null;
        } else {
            next = null;
        }
        return next;
    }

    private TextDelta delta() {
        TextDelta delta = new TextDelta(text.toString(), tokens, logprobs);
        hasText = false;
        tokens = 0;
        if (text.capacity() <= USUAL_TEXT) {
            text.setLength(0);
        } else {
            text = new StringBuilder(USUAL_TEXT);
        }
        if (!logprobs.isEmpty()) {
            logprobs = List.of();
        }
        return delta;
    }
}

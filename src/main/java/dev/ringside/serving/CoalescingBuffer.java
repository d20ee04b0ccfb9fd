package dev.ringside.serving;

import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationEvent.Completed;
import dev.ringside.engine.GenerationEvent.PromptProgress;
import dev.ringside.engine.GenerationEvent.TextDelta;
import dev.ringside.engine.TokenLogprob;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.FluxSink;

/**
 * Between the engine and a client of any speed. While the client keeps up, every event passes as it is; while it does not, text is joined
 * and only the latest progress is kept. So it holds at most one progress, one text and one end, the text is bounded by {@code max_tokens},
 * and the engine never waits: it appends under a lock that is held for nothing else than that.
 */
final class CoalescingBuffer {

    private final FluxSink<GenerationEvent> client;
    private final AtomicInteger draining = new AtomicInteger();
    private @Nullable PromptProgress progress;
    private @Nullable TextDelta text;
    private @Nullable StringBuilder joined;
    private int joinedTokens;
    private List<TokenLogprob> joinedLogprobs = List.of();
    private @Nullable Completed completed;
    private @Nullable Throwable failure;
    private boolean ended;

    CoalescingBuffer(FluxSink<GenerationEvent> client) {
        this.client = client;
    }

    void add(GenerationEvent event) {
        synchronized (this) {
            switch (event) {
                case PromptProgress latest -> progress = latest;
                case TextDelta delta -> join(delta);
                case Completed end -> completed = end;
            }
        }
        drain();
    }

    void complete() {
        synchronized (this) {
            ended = true;
        }
        drain();
    }

    void fail(Throwable cause) {
        synchronized (this) {
            failure = cause;
            ended = true;
        }
        drain();
    }

    /** Hands over what the client has asked for. One thread at a time; others leave it a note and go. */
    void drain() {
        if (draining.getAndIncrement() != 0) {
            return;
        }
        int notes = 1;
        do {
            emit();
            notes = draining.addAndGet(-notes);
        } while (notes != 0);
    }

    private void emit() {
        while (client.requestedFromDownstream() > 0) {
            GenerationEvent next = poll();
            if (next == null) {
                break;
            }
            client.next(next);
        }
        Throwable cause;
        synchronized (this) {
            if (!ended || progress != null || text != null || completed != null) {
                return;
            }
            cause = failure;
        }
        if (cause != null) {
            client.error(cause);
        } else {
            client.complete();
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

package dev.ringside.serving;

import dev.ringside.engine.FinishReason;
import dev.ringside.engine.GenerationEvent.Completed;
import dev.ringside.engine.GenerationRequest;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/** Keeps the times and counts of one request, and tells its scope and observer when it has ended. The engine's thread writes, others read. */
final class Account {

    private static final VarHandle GENERATED = generatedHandle();

    final GenerationRequest request;
    final long arrivedAt;

    private final @Nullable RequestScope scope;
    private final RequestObserver.Watch watch;
    private final LongSupplier clock;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile long startedAt;
    private volatile long firstTokenAt;
    private volatile int promptDone;
    /** Read and written through {@link #GENERATED}: one thread writes, so that no token need pay for a fence. */
    private int generated;
    private long lastTokenAt;

    Account(GenerationRequest request, ContextView context, RequestObserver observer, LongSupplier clock) {
        this.request = request;
        this.clock = clock;
        this.arrivedAt = clock.getAsLong();
        this.scope = RequestScope.of(context);
        if (scope != null) {
            scope.opened();
        }
        this.watch = observer.arrived(request, context);
    }

    @Nullable
    String keyName() {
        return scope == null ? null : scope.keyName();
    }

    /** It has a place in the engine. */
    void started() {
        startedAt = clock.getAsLong();
    }

    void progress(int processed) {
        promptDone = processed;
    }

    void text(int tokens) {
        long now = clock.getAsLong();
        if (firstTokenAt == 0) {
            firstTokenAt = now;
            promptDone = request.prompt().length;
        } else if (tokens > 0) {
            watch.tokens(tokens, now - lastTokenAt);
        }
        lastTokenAt = now;
        GENERATED.setRelease(this, generated + tokens);
    }

    /** As {@link Ticket#lookAhead}. */
    int lookAhead() {
        return generated;
    }

    boolean hasToken() {
        return firstTokenAt != 0;
    }

    int promptDone() {
        return promptDone;
    }

    int generated() {
        return (int) GENERATED.getAcquire(this);
    }

    void completed(Completed end) {
        long queued = end.timings().queued();
        boolean token = end.usage().completionTokens() > 0 || firstTokenAt != 0;
        close(end.usage().cachedTokens(), end.usage().completionTokens(), queued,
                token ? queued + end.timings().prompt() : RequestRecord.NO_TOKEN, end.reason(), null);
    }

    /** It was refused, failed, or its client left. */
    void ended(String error) {
        long now = clock.getAsLong();
        long queued = (startedAt == 0 ? now : startedAt) - arrivedAt;
        close(0, generated(), queued, firstTokenAt == 0 ? RequestRecord.NO_TOKEN : firstTokenAt - arrivedAt, null, error);
    }

    private void close(int cached, int completion, long queued, long firstToken, @Nullable FinishReason finish, @Nullable String error) {
        if (closed.getAndSet(true)) {
            return;
        }
        RequestRecord outcome = new RequestRecord(request.id(), keyName(), request.priority(), request.prompt().length, cached, completion,
                queued, firstToken, clock.getAsLong() - arrivedAt, finish, error);
        watch.ended(outcome);
        if (scope != null) {
            scope.ended(outcome);
        }
    }

    private static VarHandle generatedHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(Account.class, "generated", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}

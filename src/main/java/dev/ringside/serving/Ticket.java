package dev.ringside.serving;

import dev.ringside.engine.Generation;
import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationException;
import dev.ringside.engine.GenerationListener;
import dev.ringside.engine.Timings;
import dev.ringside.serving.Places.End;
import dev.ringside.serving.Places.Place;
import dev.ringside.serving.RequestInfo.State;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An admitted request from the queue to its end. The mutable fields belong to {@link Places} and are guarded by its lock. */
final class Ticket implements GenerationListener {

    final Account account;
    final Deadlines.Timers timers;
    Place place = Place.QUEUED;
    /** Its number in the order in which requests came. */
    long arrival;
    long startedAt;
    /** Whether the engine suspends it for interactive ones: a batch request that has not waited long enough to count as interactive. */
    boolean yields;
    @Nullable
    Generation generation;
    /** Whether the engine was asked to drop it, or will be as soon as it has it. */
    boolean leaving;
    /** Why the server ends it, when it is not the client who left. */
    @Nullable
    ServingException ending;

    private final CoalescingBuffer client;
    private final Guards.Pass pass;
    private final RequestScheduler scheduler;

    Ticket(Account account, CoalescingBuffer client, Guards.Pass pass, RequestScheduler scheduler) {
        this.account = account;
        this.client = client;
        this.pass = pass;
        this.scheduler = scheduler;
        this.timers = new Deadlines.Timers();
    }

    int promptTokens() {
        return account.request.prompt().length;
    }

    @Override
    public void onEvent(GenerationEvent event) {
        switch (event) {
            case GenerationEvent.PromptProgress progress -> {
                account.progress(progress.processed());
                client.add(event);
            }
            case GenerationEvent.TextDelta delta -> {
                if (!account.hasToken()) {
                    timers.firstToken();
                }
                account.text(delta.tokens());
                client.add(event);
            }
            case GenerationEvent.Completed(var reason, var usage, Timings timings, var stop) -> {
                Timings whole = new Timings(timings.queued() + (startedAt - account.arrivedAt), timings.prompt(), timings.generation());
                GenerationEvent.Completed completed = new GenerationEvent.Completed(reason, usage, whole, stop);
                timers.end();
                scheduler.ended(this, End.COMPLETED);
                account.completed(completed);
                pass.completed();
                client.complete(completed);
            }
        }
    }

    @Override
    public int lookAhead() {
        return account.lookAhead() + client.expect();
    }

    @Override
    public void onFailure(GenerationException failure) {
        fail(failure.kind() == GenerationException.Kind.SHUTDOWN
                ? UnavailableException.shuttingDown()
                : new GenerationFailedException(failure));
    }

    @Override
    public void onCancelled() {
        ServingException reason = scheduler.ending(this);
        if (reason != null) {
            fail(reason);
        } else {
            scheduler.ended(this, End.CANCELLED);
            clientLeft();
        }
    }

    /** Its client left; the engine may have a part in it for a moment. */
    void clientLeaves() {
        pass.abandoned();
    }

    /** Its client left, and the engine has no part in it any more. */
    void clientLeft() {
        timers.end();
        account.ended(RequestRecord.CLIENT_LEFT);
    }

    /** Ends with an error that the client gets to see. */
    void fail(ServingException reason) {
        scheduler.ended(this, End.FAILED);
        refuse(reason);
    }

    /** As {@link #fail}, for one that was not let in. */
    void refuse(ServingException reason) {
        timers.end();
        account.ended(reason.code());
        pass.failed(reason);
        client.fail(reason);
    }

    /** Under the lock of its places. */
    RequestInfo info(long now) {
        Generation running = generation;
        State state = place == Place.QUEUED
                ? State.QUEUED
                : running != null && running.isSuspended()
                        ? State.SUSPENDED
                        : account.hasToken() ? State.GENERATING : State.PROMPT;
        return new RequestInfo(account.request.id(), account.request.priority(), state, Duration.ofNanos(now - account.arrivedAt),
                promptTokens(), account.promptDone(), account.generated(), account.request.maxTokens(), account.keyName());
    }
}

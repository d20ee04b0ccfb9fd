package dev.ringside.serving;

import dev.ringside.engine.Generation;
import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationException;
import dev.ringside.engine.GenerationListener;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.engine.Timings;
import dev.ringside.serving.Places.End;
import dev.ringside.serving.Places.Place;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.FluxSink;

/** An admitted request from the queue to its end. The mutable fields belong to {@link Places} and are guarded by its lock. */
final class Ticket implements GenerationListener {

    final GenerationRequest request;
    final long queuedAt = System.nanoTime();
    Place place = Place.QUEUED;
    long startedAt;
    @Nullable
    Generation generation;
    /** Whether the engine was asked to drop it, or will be as soon as it has it. */
    boolean leaving;
    /** Why the server ends it, when it is not the client who left. */
    @Nullable
    ServingException ending;

    private final FluxSink<GenerationEvent> sink;
    private final RequestScheduler scheduler;

    Ticket(GenerationRequest request, FluxSink<GenerationEvent> sink, RequestScheduler scheduler) {
        this.request = request;
        this.sink = sink;
        this.scheduler = scheduler;
    }

    @Override
    public void onEvent(GenerationEvent event) {
        if (event instanceof GenerationEvent.Completed(var reason, var usage, Timings timings)) {
            Timings whole = new Timings(timings.queued() + (startedAt - queuedAt), timings.prompt(), timings.generation());
            scheduler.ended(this, End.COMPLETED);
            sink.next(new GenerationEvent.Completed(reason, usage, whole));
            sink.complete();
        } else {
            sink.next(event);
        }
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
        }
    }

    /** Ends with an error that the client gets to see. */
    void fail(ServingException reason) {
        scheduler.ended(this, End.FAILED);
        if (!sink.isCancelled()) {
            sink.error(reason);
        }
    }
}

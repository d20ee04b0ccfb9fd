package dev.ringside.serving;

import dev.ringside.engine.Generation;
import dev.ringside.engine.GenerationEvent;
import dev.ringside.engine.GenerationException;
import dev.ringside.engine.GenerationRequest;
import dev.ringside.engine.InferenceEngine;
import dev.ringside.engine.Priority;
import dev.ringside.sampling.InvalidSamplingException;
import dev.ringside.serving.Places.End;
import io.github.resilience4j.bulkhead.Bulkhead;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Stands between many clients and the engine: admits as many as there are places to run and to wait, starts them in turn, interactive ones
 * before batch ones, keeps their time limits, drops whose client has left, and decouples the engine from slow clients. Thread safe.
 */
public final class RequestScheduler {

    private enum Phase {
        STARTING, OPEN, CLOSING
    }

    private final InferenceEngine engine;
    private final Guards guards;
    private final RequestObserver observer;
    private final Scheduler delivery;
    private final LongSupplier clock;
    private final Places places;
    private final Deadlines deadlines;
    private final AtomicInteger starting = new AtomicInteger();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private volatile Phase phase = Phase.STARTING;

    /** Refuses requests until {@link #open()}; observed by nobody. */
    public RequestScheduler(InferenceEngine engine, SchedulerOptions options, Bulkhead bulkhead) {
        this(engine, options, Guards.of(bulkhead), RequestObserver.NONE);
    }

    /** Refuses requests until {@link #open()}. */
    public RequestScheduler(InferenceEngine engine, SchedulerOptions options, Guards guards, RequestObserver observer) {
        this(engine, options, guards, observer, Schedulers.parallel(), System::nanoTime);
    }

    /**
     * @param delivery where clients receive events, and where time limits are kept
     * @param clock nanoseconds that only grow
     */
    RequestScheduler(InferenceEngine engine, SchedulerOptions options, Guards guards, RequestObserver observer, Scheduler delivery,
            LongSupplier clock) {
        this.engine = engine;
        this.guards = guards;
        this.observer = observer;
        this.delivery = delivery;
        this.clock = clock;
        this.places = new Places(options, clock);
        this.deadlines = new Deadlines(delivery, options, guards.firstToken(), this::expire);
    }

    /** From here on requests are admitted: the model is loaded and warm. Has no effect once shutdown has begun. */
    public synchronized void open() {
        if (phase == Phase.STARTING) {
            phase = Phase.OPEN;
        }
    }

    /** Whether new requests are admitted, as far as there are places. */
    public boolean isAccepting() {
        return phase == Phase.OPEN && engine.snapshot().alive();
    }

    /**
     * Generates when subscribed to; every subscription is a generation of its own. Cancelling the subscription drops it from the queue at
     * once or from the engine at the next step. A subscriber that requests slowly gets adjacent texts joined and misses nothing. Errors are
     * {@link ServingException}s; those about the request itself come before any event. A {@link Delivery} in the context says where events come.
     */
    public Flux<GenerationEvent> generate(GenerationRequest request) {
        Publisher<GenerationEvent> generation = client -> connect(request, Operators.toCoreSubscriber(client));
        return Flux.from(generation);
    }

    public SchedulerSnapshot snapshot() {
        return places.snapshot(isAccepting(), engine.snapshot().suspended(), guards.state());
    }

    /** Every admitted request: those that run, then those that wait in the order of their turns. */
    public List<RequestInfo> requests() {
        return places.list();
    }

    /**
     * Ends the requests of one call with {@link RequestCancelledException}: the one with the id, and further choices of it, {@code id-1} and so
     * on.
     *
     * @param keyName name of the API key they must have come with, or null for any or none
     * @return whether there was any
     */
    public boolean cancel(String id, @Nullable String keyName) {
        boolean found = false;
        for (Ticket ticket : places.all()) {
            String own = ticket.account.request.id();
            boolean allowed = keyName == null || keyName.equals(ticket.account.keyName());
            if (allowed && (own.equals(id) || own.startsWith(id + "-"))) {
                drop(ticket, new RequestCancelledException());
                found = true;
            }
        }
        return found;
    }

    /**
     * Refuses new requests from now on, lets those admitted finish for {@code grace}, then ends the rest with {@link UnavailableException}.
     *
     * @return completes when no request is left; calling again can only bring the end nearer
     */
    public CompletableFuture<Void> beginShutdown(Duration grace) {
        synchronized (this) {
            phase = Phase.CLOSING;
        }
        places.close();
        noteIfDrained();
        if (!drained.isDone()) {
            if (grace.isPositive()) {
                Disposable deadline = delivery.schedule(this::endAll, grace.toMillis(), TimeUnit.MILLISECONDS);
                var _ = drained.whenComplete((_, _) -> deadline.dispose());
            } else {
                endAll();
            }
        }
        // Not on the engine thread, where the last request usually ends: the caller may want to close the engine next.
        return drained.thenRunAsync(() -> {
        });
    }

    private void connect(GenerationRequest request, CoreSubscriber<? super GenerationEvent> client) {
        Account account = new Account(request, client.currentContext(), observer, clock);
        CoalescingBuffer buffer = new CoalescingBuffer(client, Delivery.of(client.currentContext(), delivery::schedule));
        client.onSubscribe(buffer);
        ServingException refusal = refusal(request);
        if (refusal == null) {
            guards.enter(pass -> admit(account, buffer, pass), places::reject, reason -> refuse(account, buffer, reason));
        } else {
            refuse(account, buffer, refusal);
        }
    }

    private static void refuse(Account account, CoalescingBuffer buffer, ServingException reason) {
        account.ended(reason.code());
        buffer.fail(reason);
    }

    private @Nullable ServingException refusal(GenerationRequest request) {
        if (phase == Phase.STARTING) {
            return new UnavailableException("The model is still being loaded");
        }
        if (phase == Phase.CLOSING) {
            return UnavailableException.shuttingDown();
        }
        if (!engine.snapshot().alive()) {
            return new UnavailableException("The engine has stopped");
        }
        if (request.prompt().length == 0) {
            return new InvalidRequestException("prompt", "The prompt must have at least one token");
        }
        int contextLength = engine.options().contextLength();
        if (request.prompt().length >= contextLength) {
            return new PromptTooLongException(request.prompt().length, contextLength);
        }
        try {
            engine.validate(request);
            return null;
        } catch (InvalidSamplingException e) {
            return new InvalidRequestException(e.parameter(), String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            return new InvalidRequestException(null, String.valueOf(e.getMessage()));
        }
    }

    private void admit(Account account, CoalescingBuffer buffer, Guards.Pass pass) {
        Ticket ticket = new Ticket(account, buffer, pass, this);
        buffer.onCancel(() -> {
            ticket.clientLeaves();
            drop(ticket, null);
        });
        deadlines.begin(ticket);
        ServingException refusal = places.enqueue(ticket);
        if (refusal == null) {
            startNext();
        } else {
            ticket.refuse(refusal);
        }
    }

    /** Gives free places to those that wait. One thread at a time, so that requests reach the engine in the order in which they came. */
    private void startNext() {
        if (starting.getAndIncrement() != 0) {
            return;
        }
        int calls = 1;
        do {
            for (Ticket next = places.takeNext(); next != null; next = places.takeNext()) {
                start(next);
            }
            calls = starting.addAndGet(-calls);
        } while (calls != 0);
    }

    private void start(Ticket ticket) {
        try {
            ticket.account.started();
            GenerationRequest request = ticket.account.request;
            Generation generation = engine.submit(ticket.yields ? request : request.withPriority(Priority.INTERACTIVE), ticket);
            if (!places.started(ticket, generation)) {
                generation.cancel();
            }
        } catch (GenerationException e) {
            ticket.onFailure(e);
        } catch (RuntimeException e) {
            ticket.onFailure(new GenerationException(GenerationException.Kind.INTERNAL, "The request could not be started: " + e, e));
        }
    }

    /** Takes a request out of the queue, or asks the engine to drop it; without a reason when the client left. */
    private void drop(Ticket ticket, @Nullable ServingException reason) {
        if (places.leaveQueue(ticket, reason == null ? End.CANCELLED : End.FAILED)) {
            if (reason == null) {
                ticket.clientLeft();
            } else {
                ticket.fail(reason);
            }
            noteIfDrained();
            return;
        }
        Generation running = places.leaveEngine(ticket, reason);
        if (running != null) {
            running.cancel();
        }
    }

    /** Its time is up: it ends with what it has, or with an error when that is nothing. */
    private void expire(Ticket ticket, Function<Duration, ServingException> reason) {
        if (!ticket.account.hasToken()) {
            drop(ticket, reason.apply(places.untilNextPlace()));
            return;
        }
        Generation running = places.leaveEngine(ticket, reason.apply(places.untilNextPlace()));
        if (running != null) {
            running.finish();
        }
    }

    /** The request is out of the engine; its place goes to the next. */
    void ended(Ticket ticket, End end) {
        if (places.end(ticket, end)) {
            startNext();
            noteIfDrained();
        }
    }

    @Nullable
    ServingException ending(Ticket ticket) {
        return places.ending(ticket);
    }

    private void endAll() {
        for (Ticket ticket : places.all()) {
            drop(ticket, UnavailableException.shuttingDown());
        }
    }

    private void noteIfDrained() {
        if (places.isDrained()) {
            drained.complete(null);
        }
    }
}

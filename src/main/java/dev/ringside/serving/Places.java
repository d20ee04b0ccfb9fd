package dev.ringside.serving;

import dev.ringside.engine.Generation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Who runs, who waits, and how many have gone which way. Every change is one short call under its lock, which no other code runs under. */
final class Places {

    /** Where a request is. */
    enum Place {
        QUEUED, ACTIVE, ENDED
    }

    /** How a request went. */
    enum End {
        COMPLETED, FAILED, CANCELLED
    }

    private final SchedulerOptions options;
    private final LongSupplier clock;
    private final WaitingLine queue;
    /** All that the engine has, suspended ones too. */
    private final Set<Ticket> active = new LinkedHashSet<>();
    private final RetryEstimate estimate = new RetryEstimate();
    /** Running batch requests. */
    private int yielding;
    private boolean closed;
    private long rejected;
    private long cancelled;
    private long completed;
    private long failed;

    Places(SchedulerOptions options, LongSupplier clock) {
        this.options = options;
        this.clock = clock;
        this.queue = new WaitingLine(options.batchMaxWait().toNanos());
    }

    /** Lets a request wait for its turn, or says why not. One that has ended meanwhile is left alone. */
    synchronized @Nullable ServingException enqueue(Ticket ticket) {
        if (ticket.place == Place.ENDED) {
            return null;
        }
        if (closed) {
            ticket.place = Place.ENDED;
            return UnavailableException.shuttingDown();
        }
        boolean waits = active.size() >= options.maxActive() || queue.size() > 0;
        if (waits && options.queueTokens() > 0 && queue.tokens() + ticket.promptTokens() > options.queueTokens()) {
            rejected++;
            ticket.place = Place.ENDED;
            return QueueFullException.ofTokens(ticket.promptTokens(), queue.tokens(), options.queueTokens(), untilTokensLeave(ticket));
        }
        queue.add(ticket);
        return null;
    }

    /** Moves the request whose turn it is to a free place in the engine; null when there is none of either. */
    synchronized @Nullable Ticket takeNext() {
        long now = clock.getAsLong();
        Ticket next = queue.take(now, free());
        if (next != null) {
            next.yields = queue.isPatient(next, now);
            yielding += next.yields ? 1 : 0;
            next.place = Place.ACTIVE;
            next.startedAt = now;
            active.add(next);
        }
        return next;
    }

    /** Places for those that wait, of which those for interactive ones are taken from batch ones, which the engine suspends. */
    private WaitingLine.Free free() {
        int places = options.maxActive() - active.size();
        return places > 0 ? WaitingLine.Free.FOR_ALL : places + yielding > 0 ? WaitingLine.Free.FOR_INTERACTIVE : WaitingLine.Free.NONE;
    }

    /** Remembers what cancels the request; false when it was asked to leave meanwhile. */
    synchronized boolean started(Ticket ticket, Generation generation) {
        ticket.generation = generation;
        return !ticket.leaving;
    }

    /** Ends a request that waits; false when it does not. */
    synchronized boolean leaveQueue(Ticket ticket, End end) {
        return ticket.place == Place.QUEUED && end(ticket, end);
    }

    /**
     * Marks a running request as one that leaves.
     *
     * @param reason null when the client left
     * @return what cancels it, if there is anything to do now
     */
    synchronized @Nullable Generation leaveEngine(Ticket ticket, @Nullable ServingException reason) {
        if (ticket.place != Place.ACTIVE || ticket.leaving) {
            return null;
        }
        ticket.leaving = true;
        ticket.ending = reason;
        return ticket.generation;
    }

    /** Why the server ends the request; null when its client left. */
    synchronized @Nullable ServingException ending(Ticket ticket) {
        return ticket.ending;
    }

    /** False when it had ended before. */
    synchronized boolean end(Ticket ticket, End end) {
        if (ticket.place == Place.ENDED) {
            return false;
        }
        queue.remove(ticket);
        boolean ran = active.remove(ticket);
        yielding -= ran && ticket.yields ? 1 : 0;
        if (ran && end != End.FAILED) {
            estimate.served(clock.getAsLong() - ticket.startedAt);
        }
        ticket.place = Place.ENDED;
        switch (end) {
            case COMPLETED -> completed++;
            case FAILED -> failed++;
            case CANCELLED -> cancelled++;
        }
        return true;
    }

    synchronized QueueFullException reject() {
        rejected++;
        return new QueueFullException(active.size(), queue.size(), estimate.untilNextPlace(active.size(), longestRun()));
    }

    /** When a place is expected to be free. */
    synchronized Duration untilNextPlace() {
        return estimate.untilNextPlace(active.size(), longestRun());
    }

    private Duration untilTokensLeave(Ticket ticket) {
        long over = queue.tokens() + ticket.promptTokens() - options.queueTokens();
        int places = 0;
        for (Ticket waiting : queue.inOrder(clock.getAsLong())) {
            if (over <= 0) {
                break;
            }
            over -= waiting.promptTokens();
            places++;
        }
        return estimate.untilPlaces(Math.max(1, places), active.size(), longestRun());
    }

    private long longestRun() {
        return active.isEmpty() ? 0 : clock.getAsLong() - active.iterator().next().startedAt;
    }

    /** From here on nobody is let in. */
    synchronized void close() {
        closed = true;
    }

    synchronized boolean isDrained() {
        return closed && queue.size() == 0 && active.isEmpty();
    }

    /** Everyone here, those that wait first. */
    synchronized List<Ticket> all() {
        List<Ticket> all = queue.inOrder(clock.getAsLong());
        all.addAll(active);
        return all;
    }

    /** Everyone here, those that run first, then those that wait in the order of their turns. */
    synchronized List<RequestInfo> list() {
        long now = clock.getAsLong();
        List<RequestInfo> list = new ArrayList<>(active.size() + queue.size());
        active.forEach(ticket -> list.add(ticket.info(now)));
        queue.inOrder(now).forEach(ticket -> list.add(ticket.info(now)));
        return list;
    }

    /** @param suspended those of the engine's requests that it has suspended, as of a moment ago */
    synchronized SchedulerSnapshot snapshot(boolean accepting, int suspended, String breaker) {
        // An interactive request has the place of a batch one before the engine has suspended that.
        int running = Math.clamp(active.size() - suspended, 0, options.maxActive());
        return new SchedulerSnapshot(running, queue.size(), suspended, options.maxActive(), options.queueCapacity(), accepting,
                rejected, cancelled, completed, failed, queue.tokens(), options.queueTokens(), breaker);
    }
}

package dev.ringside.serving;

import dev.ringside.engine.Generation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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
    private final Set<Ticket> queue = new LinkedHashSet<>();
    private final Set<Ticket> active = new LinkedHashSet<>();
    private final RetryEstimate estimate = new RetryEstimate();
    private boolean closed;
    private long rejected;
    private long cancelled;
    private long completed;
    private long failed;

    Places(SchedulerOptions options) {
        this.options = options;
    }

    /** False when the places are closed. */
    synchronized boolean enqueue(Ticket ticket) {
        if (!closed) {
            queue.add(ticket);
        }
        return !closed;
    }

    /** Moves the request that waited longest to a free place in the engine; null when there is none of either. */
    synchronized @Nullable Ticket takeNext() {
        Iterator<Ticket> waiting = queue.iterator();
        if (active.size() >= options.maxActive() || !waiting.hasNext()) {
            return null;
        }
        Ticket next = waiting.next();
        waiting.remove();
        next.place = Place.ACTIVE;
        next.startedAt = System.nanoTime();
        active.add(next);
        return next;
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
        if (active.remove(ticket) && end != End.FAILED) {
            estimate.served(System.nanoTime() - ticket.startedAt);
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
        long oldest = active.isEmpty() ? 0 : System.nanoTime() - active.iterator().next().startedAt;
        Duration retryAfter = estimate.untilNextPlace(active.size(), oldest);
        return new QueueFullException(active.size(), queue.size(), retryAfter);
    }

    /** From here on nobody is let in. */
    synchronized void close() {
        closed = true;
    }

    synchronized boolean isDrained() {
        return closed && queue.isEmpty() && active.isEmpty();
    }

    /** Everyone here, those that wait first. */
    synchronized List<Ticket> all() {
        List<Ticket> all = new ArrayList<>(queue);
        all.addAll(active);
        return all;
    }

    synchronized SchedulerSnapshot snapshot(boolean accepting, int suspended) {
        return new SchedulerSnapshot(active.size(), queue.size(), suspended, options.maxActive(), options.queueCapacity(), accepting,
                rejected,
                cancelled, completed, failed);
    }
}

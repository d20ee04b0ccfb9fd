package dev.ringside.serving;

import dev.ringside.engine.Priority;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Requests that wait: first come, first served within a class, interactive ones before batch ones. A batch request that has waited long enough
 * goes like an interactive one, by when it came, so nobody waits for ever. Guarded by its owner.
 */
final class WaitingLine {

    private final long batchMaxWaitNanos;
    private final Set<Ticket> interactive = new LinkedHashSet<>();
    private final Set<Ticket> batch = new LinkedHashSet<>();
    private long tokens;
    private long arrivals;

    WaitingLine(long batchMaxWaitNanos) {
        this.batchMaxWaitNanos = batchMaxWaitNanos;
    }

    void add(Ticket ticket) {
        ticket.arrival = arrivals++;
        if (of(ticket).add(ticket)) {
            tokens += ticket.promptTokens();
        }
    }

    boolean remove(Ticket ticket) {
        boolean was = of(ticket).remove(ticket);
        if (was) {
            tokens -= ticket.promptTokens();
        }
        return was;
    }

    /** Whom there is a place for. */
    enum Free {
        NONE, FOR_INTERACTIVE, FOR_ALL
    }

    /** The one whose turn is next, taken out; null when nobody waits that there is a place for. */
    @Nullable
    Ticket take(long now, Free free) {
        Ticket next = switch (free) {
            case NONE -> null;
            case FOR_INTERACTIVE -> interactive.isEmpty() ? null : interactive.iterator().next();
            case FOR_ALL -> first(interactive.iterator(), batch.iterator(), now);
        };
        if (next != null) {
            remove(next);
        }
        return next;
    }

    private @Nullable Ticket first(Iterator<Ticket> quick, Iterator<Ticket> patient, long now) {
        Ticket one = quick.hasNext() ? quick.next() : null;
        Ticket other = patient.hasNext() ? patient.next() : null;
        return goesBefore(other, one, now) ? other : one;
    }

    private boolean goesBefore(@Nullable Ticket patient, @Nullable Ticket quick, long now) {
        if (patient == null || quick == null) {
            return quick == null;
        }
        return !isPatient(patient, now) && patient.arrival < quick.arrival;
    }

    /** Whether interactive requests may pass it. */
    boolean isPatient(Ticket ticket, long now) {
        return ticket.account.request.priority() == Priority.BATCH && now - ticket.account.arrivedAt < batchMaxWaitNanos;
    }

    /** Everybody in the order in which they would start if all places became free now. */
    List<Ticket> inOrder(long now) {
        List<Ticket> order = new ArrayList<>(size());
        List<Ticket> patient = new ArrayList<>(batch);
        int next = 0;
        for (Ticket quick : interactive) {
            while (next < patient.size() && goesBefore(patient.get(next), quick, now)) {
                order.add(patient.get(next++));
            }
            order.add(quick);
        }
        order.addAll(patient.subList(next, patient.size()));
        return order;
    }

    int size() {
        return interactive.size() + batch.size();
    }

    /** Prompt tokens of all that wait. */
    long tokens() {
        return tokens;
    }

    private Set<Ticket> of(Ticket ticket) {
        return ticket.account.request.priority() == Priority.BATCH ? batch : interactive;
    }
}

package dev.ringside.serving;

import java.util.concurrent.Executor;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Where a client receives its events: on the thread that writes to its connection they need not change threads again. Travels in Reactor's
 * context; without one, events come on a thread of the scheduler's own.
 *
 * @param executor wakes up once for many clients when it can
 */
public record Delivery(Executor executor) {

    /** Has the events of every request that is subscribed to with the context delivered by the executor. */
    public Context in(Context context) {
        return context.put(Delivery.class, this);
    }

    static Executor of(ContextView context, Executor otherwise) {
        Delivery chosen = context.<Delivery>getOrDefault(Delivery.class, null);
        return chosen == null ? otherwise : chosen.executor();
    }
}

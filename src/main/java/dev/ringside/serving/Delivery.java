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

    /** An executor that is told of what it will be given. */
    public interface Foreseeing extends Executor {

        /** {@link #execute} will be called with this soon, on the same thread, and maybe with others. It must be quick. */
        void expect(Task task);
    }

    /** What an {@link #executor} is given. */
    public interface Task extends Runnable, Foresight {

        /** It was taken by {@link #execute}, but will not run. */
        void undeliverable();
    }

    /** A part of delivery. */
    public interface Foresight {

        /**
         * Reads what will be needed, and has no other effect. Other work has had the processor's caches since the token before; what is read for one
         * client after the other, with nothing in between that has to be in order, is fetched from memory at the same time.
         *
         * @return of no meaning: keeps what was read from being left out
         */
        int lookAhead();
    }

    /** Has the events of every request that is subscribed to with the context delivered by the executor. */
    public Context in(Context context) {
        return context.put(Delivery.class, this);
    }

    static Executor of(ContextView context, Executor otherwise) {
        Delivery chosen = context.<Delivery>getOrDefault(Delivery.class, null);
        return chosen == null ? otherwise : chosen.executor();
    }
}

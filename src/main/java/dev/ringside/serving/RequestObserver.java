package dev.ringside.serving;

import dev.ringside.engine.GenerationRequest;
import reactor.util.context.ContextView;

/** Sees every request that reaches the scheduler, admitted or not. What it throws is the scheduler's to bear: it must not throw. */
public interface RequestObserver {

    /** Sees nothing. */
    RequestObserver NONE = (_, _) -> Watch.NONE;

    /** Sees one request. */
    interface Watch {

        Watch NONE = new Watch() {
            @Override
            public void tokens(int count, long nanos) {}

            @Override
            public void ended(RequestRecord outcome) {}
        };

        /**
         * Tokens behind the first one were generated. On the engine's thread, for every delivery: it must be quick and allocate nothing.
         *
         * @param nanos since the delivery before
         */
        void tokens(int count, long nanos);

        /** The last call. */
        void ended(RequestRecord outcome);
    }

    /**
     * A request came.
     *
     * @param context of its subscriber
     */
    Watch arrived(GenerationRequest request, ContextView context);
}

package dev.ringside.api;

import reactor.core.publisher.SynchronousSink;

/** Turns the signals of one answer into bytes, one signal at a time. */
interface SignalEncoder {

    /** Passes on at most one array of bytes, which may hold several events, and the end or an error. */
    void accept(Signal signal, SynchronousSink<byte[]> sink);

    /** As {@link dev.ringside.serving.Delivery.Foresight#lookAhead}. */
    default int lookAhead() {
        return 0;
    }
}

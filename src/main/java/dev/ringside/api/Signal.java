package dev.ringside.api;

import dev.ringside.engine.GenerationEvent;

/** What a stream reacts to. */
sealed interface Signal {

    /** The engine has news of a choice. */
    record Event(int choice, GenerationEvent event) implements Signal {}

    /** A choice can't go on. */
    record Failed(Throwable cause) implements Signal {}

    /** Time has passed. */
    enum Tick implements Signal {
        TICK
    }

    /** Every choice has ended. */
    enum End implements Signal {
        END
    }
}

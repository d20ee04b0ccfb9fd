package dev.ringside.api;

/** What a stream reacts to. */
sealed interface Signal {

    /** There is news of a choice. */
    record Event(int choice, AnswerEvent event) implements Signal {}

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

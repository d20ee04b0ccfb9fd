package dev.ringside.api;

/** Whether the model has to call a tool. */
sealed interface ChatToolChoice {

    enum Mode implements ChatToolChoice {
        /** It can't. */
        NONE,
        /** It decides. */
        AUTO,
        /** It must call one or more. */
        REQUIRED
    }

    /** It must call this function, once. */
    record Named(String name) implements ChatToolChoice {}

    /** Whether an answer without a call is wrong. */
    default boolean isForced() {
        return this != Mode.NONE && this != Mode.AUTO;
    }
}

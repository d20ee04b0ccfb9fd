package dev.ringside.api;

/**
 * A request to {@code /v1/messages}.
 *
 * @param chat the same as a chat
 * @param stream whether the answer comes as events
 */
record MessagesRequest(ChatBody chat, boolean stream, Thinking thinking) {

    /** Whether the model is to think before it answers. */
    enum Thinking {
        /** As its chat template has it. */
        DEFAULT,
        ON,
        /** It thinks, and its thoughts are not shown. */
        HIDDEN,
        OFF
    }
}

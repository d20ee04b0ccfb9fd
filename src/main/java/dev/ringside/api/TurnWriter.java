package dev.ringside.api;

import dev.ringside.chat.AssistantPart;

/** Writes one assistant's turn as events, as one interface has them. Not thread safe. */
interface TurnWriter {

    /** The first events; nothing else comes before. */
    void begin(NamedEvents out);

    void part(AssistantPart part, NamedEvents out);

    /** The last events of a turn that ended well. */
    void finish(AnswerEvent.Finished end, NamedEvents out);

    /** The last events of a turn that broke off. */
    void fail(ApiError error, NamedEvents out);

    /** Something without a meaning, to show that the server lives. */
    void ping(NamedEvents out);
}

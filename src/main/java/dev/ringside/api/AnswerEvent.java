package dev.ringside.api;

import dev.ringside.chat.AssistantPart;
import dev.ringside.engine.Timings;
import dev.ringside.engine.TokenLogprob;
import dev.ringside.engine.Usage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one choice of an answer reports while it is generated, in order. */
sealed interface AnswerEvent {

    /** Prompt tokens computed so far. */
    record Progress(int processed, int total) implements AnswerEvent {}

    /**
     * More of the answer.
     *
     * @param parts may be empty when tokens have come whose text is held back
     * @param logprobs one entry for each generated token when the request asks for them, else empty
     */
    record Parts(List<AssistantPart> parts, List<TokenLogprob> logprobs) implements AnswerEvent {}

    /**
     * The end; nothing follows.
     *
     * @param stop the stop string that was found, or null when the end has another reason
     */
    record Finished(AnswerEnd reason, Usage usage, Timings timings, @Nullable String stop) implements AnswerEvent {

        /** An end without a stop string. */
        Finished(AnswerEnd reason, Usage usage, Timings timings) {
            this(reason, usage, timings, null);
        }
    }
}

package dev.ringside.api;

import dev.ringside.engine.Timings;
import dev.ringside.engine.TokenLogprob;
import dev.ringside.engine.Usage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One finished choice.
 *
 * @param content text of the answer, empty when it consists of tool calls only
 * @param reasoning what the model thought before, or null when it did not
 * @param logprobs one entry for each generated token when the request asked for them, else empty
 * @param stop the stop string that was found, or null when the end has another reason
 */
record Answer(String content, @Nullable String reasoning, List<AnswerCall> calls, List<TokenLogprob> logprobs, AnswerEnd reason,
        Usage usage,
        Timings timings, @Nullable String stop) {

    Answer {
        calls = List.copyOf(calls);
        logprobs = List.copyOf(logprobs);
    }
}

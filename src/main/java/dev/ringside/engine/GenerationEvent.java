package dev.ringside.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a generation reports while it runs, in order. */
public sealed interface GenerationEvent {

    /** Prompt tokens computed so far. Sent after each step that ends inside the prompt. */
    record PromptProgress(int processed, int total) implements GenerationEvent {}

    /**
     * Text that can be shown: whole characters, never part of a stop string. The tokens of all deltas together are those of the usage; the last
     * one may have no text, when its tokens are those of a stop string.
     *
     * @param tokens number of tokens it stands for, 0 or more
     * @param logprobs one entry for each of these tokens when the request asks for them, else empty
     */
    record TextDelta(String text, int tokens, List<TokenLogprob> logprobs) implements GenerationEvent {

        public TextDelta(String text, int tokens) {
            this(text, tokens, List.of());
        }
    }

    /**
     * The end; nothing follows.
     *
     * @param stop the stop string that was found, or null when the end has another reason
     */
    record Completed(FinishReason reason, Usage usage, Timings timings, @Nullable String stop) implements GenerationEvent {

        /** An end without a stop string. */
        public Completed(FinishReason reason, Usage usage, Timings timings) {
            this(reason, usage, timings, null);
        }
    }
}

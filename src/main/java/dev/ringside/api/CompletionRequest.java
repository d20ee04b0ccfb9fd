package dev.ringside.api;

import java.util.List;

/**
 * A text completion.
 *
 * @param prompts one or more; choices come back in their order
 * @param echo whether the text of a choice begins with its prompt
 */
record CompletionRequest(List<Prompt> prompts, boolean echo, GenerationOptions options) {

    CompletionRequest {
        prompts = List.copyOf(prompts);
    }

    /** What to continue. */
    sealed interface Prompt {}

    /** Text, in which the spelling of a special token stands for the token: raw completions are for those who write templates themselves. */
    record Text(String text, String path) implements Prompt {}

    /** Token ids, all within the vocabulary. */
    @SuppressWarnings("ArrayRecordComponent") // a prompt may have a hundred thousand
    record Tokens(int[] ids) implements Prompt {}
}

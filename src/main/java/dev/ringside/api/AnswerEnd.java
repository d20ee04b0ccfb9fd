package dev.ringside.api;

import dev.ringside.engine.FinishReason;

/** Why a choice ended, as clients are told. */
enum AnswerEnd {

    /** The model was done, or wrote a stop string. */
    STOP("stop"),
    /** {@code max_tokens}, the context or the time is used up. */
    LENGTH("length"),
    /** The model called tools and waits for their answers. */
    TOOL_CALLS("tool_calls");

    private final String word;

    AnswerEnd(String word) {
        this.word = word;
    }

    /** OpenAI's name. */
    String word() {
        return word;
    }

    static AnswerEnd of(FinishReason reason, boolean calledTools) {
        return switch (reason) {
            case STOP -> calledTools ? TOOL_CALLS : STOP;
            case LENGTH -> LENGTH;
        };
    }
}

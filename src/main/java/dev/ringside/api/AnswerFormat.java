package dev.ringside.api;

import dev.ringside.chat.AssistantPart;
import dev.ringside.engine.TokenLogprob;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The JSON bodies of one answer: its id and time are the same in all of them. */
sealed interface AnswerFormat permits ChatFormat, TextFormat {

    /** The chunk a choice begins with, or null when there is none. */
    @Nullable
    Object opening(int choice);

    /**
     * A piece of a choice.
     *
     * @param part null when only probabilities come
     */
    Object delta(int choice, @Nullable AssistantPart part, List<TokenLogprob> logprobs);

    /** Whether two pieces of a choice that have no probabilities and are of one kind differ in their text only. */
    boolean hasPlainDeltas();

    Object finish(int choice, AnswerEnd reason, TimingsBody timings);

    /** The chunk with token counts and no choices. */
    Object usage(UsageBody usage);

    /** The answer in one piece, choices in order. */
    Object whole(List<Answer> choices);
}

package dev.ringside.api;

import dev.ringside.engine.FinishReason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Bodies of {@code /v1/completions}, whole and streamed. */
record TextFormat(AnswerHead head) implements AnswerFormat {

    @Override
    public @Nullable Object opening(int choice) {
        return null;
    }

    @Override
    public Object delta(int choice, String text) {
        return chunk(new TextCompletionBody.Choice(text, choice, null, null), null);
    }

    @Override
    public Object finish(int choice, FinishReason reason, TimingsBody timings) {
        return chunk(new TextCompletionBody.Choice("", choice, null, Answer.reason(reason)), timings);
    }

    @Override
    public Object usage(UsageBody usage) {
        return body(List.of(), usage, null);
    }

    @Override
    public Object whole(List<Answer> choices) {
        List<TextCompletionBody.Choice> bodies = new ArrayList<>(choices.size());
        for (Answer answer : choices) {
            bodies.add(new TextCompletionBody.Choice(answer.text(), bodies.size(), null, Answer.reason(answer.reason())));
        }
        Answer first = choices.getFirst();
        TimingsBody timings = choices.size() == 1 ? TimingsBody.of(first.usage(), first.timings()) : null;
        return body(bodies, UsageBody.of(UsageSum.of(choices)), timings);
    }

    private TextCompletionBody chunk(TextCompletionBody.Choice choice, @Nullable TimingsBody timings) {
        return body(List.of(choice), head.usageAsked() ? ChunkUsage.NONE : null, timings);
    }

    private TextCompletionBody body(List<TextCompletionBody.Choice> choices, @Nullable ChunkUsage usage, @Nullable TimingsBody timings) {
        return new TextCompletionBody(head.id(), "text_completion", head.created(), head.model(), head.fingerprint(), choices, usage,
                timings);
    }
}

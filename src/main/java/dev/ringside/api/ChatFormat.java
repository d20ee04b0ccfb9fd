package dev.ringside.api;

import dev.ringside.engine.FinishReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Bodies of {@code /v1/chat/completions}. */
record ChatFormat(AnswerHead head) implements AnswerFormat {

    private static final ChatChunkBody.Delta OPENING = new ChatChunkBody.Delta("assistant", "");
    private static final ChatChunkBody.Delta NOTHING = new ChatChunkBody.Delta(null, null);

    @Override
    public Object opening(int choice) {
        return chunk(List.of(new ChatChunkBody.Choice(choice, OPENING, null, null)), null);
    }

    @Override
    public Object delta(int choice, String text) {
        return chunk(List.of(new ChatChunkBody.Choice(choice, new ChatChunkBody.Delta(null, text), null, null)), null);
    }

    @Override
    public Object finish(int choice, FinishReason reason, TimingsBody timings) {
        return chunk(List.of(new ChatChunkBody.Choice(choice, NOTHING, null, Answer.reason(reason))), timings);
    }

    @Override
    public Object usage(UsageBody usage) {
        return new ChatChunkBody(head.id(), "chat.completion.chunk", head.created(), head.model(), head.fingerprint(), List.of(),
                usage, null);
    }

    @Override
    public Object whole(List<Answer> choices) {
        Answer answer = choices.getFirst();
        ChatCompletionBody.Message message = new ChatCompletionBody.Message("assistant", answer.text(), null);
        return new ChatCompletionBody(head.id(), "chat.completion", head.created(), head.model(), head.fingerprint(),
                List.of(new ChatCompletionBody.Choice(0, message, null, Answer.reason(answer.reason()))), UsageBody.of(answer.usage()),
                TimingsBody.of(answer.usage(), answer.timings()));
    }

    private ChatChunkBody chunk(List<ChatChunkBody.Choice> choices, @Nullable TimingsBody timings) {
        return new ChatChunkBody(head.id(), "chat.completion.chunk", head.created(), head.model(), head.fingerprint(), choices,
                head.usageAsked() ? ChunkUsage.NONE : null, timings);
    }
}

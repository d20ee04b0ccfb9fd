package dev.ringside.api;

import dev.ringside.chat.AssistantPart;
import dev.ringside.engine.TokenLogprob;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bodies of {@code /v1/chat/completions}.
 *
 * @param logprobs writes probabilities, or null when they were not asked for
 */
record ChatFormat(AnswerHead head, @Nullable AnswerLogprobs logprobs) implements AnswerFormat {

    private static final String CHUNK = "chat.completion.chunk";
    private static final String FUNCTION = "function";
    private static final ChatChunkBody.Delta OPENING = new ChatChunkBody.Delta("assistant", "", null, null);

    @Override
    public Object opening(int choice) {
        return chunk(new ChatChunkBody.Choice(choice, OPENING, null, null), null);
    }

    @Override
    public Object delta(int choice, @Nullable AssistantPart part, List<TokenLogprob> tokens) {
        return chunk(new ChatChunkBody.Choice(choice, delta(part), tokens.isEmpty() ? null : probabilities(tokens), null), null);
    }

    @Override
    public boolean hasPlainDeltas() {
        return true;
    }

    @Override
    public Object finish(int choice, AnswerEnd reason, TimingsBody timings) {
        return chunk(new ChatChunkBody.Choice(choice, ChatChunkBody.Delta.NOTHING, null, reason.word()), timings);
    }

    @Override
    public Object usage(UsageBody usage) {
        return new ChatChunkBody(head.id(), CHUNK, head.created(), head.model(), head.fingerprint(), head.serviceTier(), List.of(), usage,
                null);
    }

    @Override
    public Object whole(List<Answer> answers) {
        List<ChatCompletionBody.Choice> choices = new ArrayList<>(answers.size());
        for (Answer answer : answers) {
            choices.add(new ChatCompletionBody.Choice(choices.size(), message(answer), probabilities(answer.logprobs()),
                    answer.reason().word()));
        }
        Answer first = answers.getFirst();
        return new ChatCompletionBody(head.id(), "chat.completion", head.created(), head.model(), head.fingerprint(), head.serviceTier(),
                choices, UsageBody.of(UsageSum.of(answers, head.choicesPerPrompt())),
                answers.size() == 1 ? TimingsBody.of(first.usage(), first.timings()) : null);
    }

    private static ChatCompletionBody.Message message(Answer answer) {
        List<ChatCompletionBody.ToolCall> calls = answer.calls().stream().map(call -> new ChatCompletionBody.ToolCall(call.id(), FUNCTION,
                new ChatCompletionBody.Function(call.name(), call.arguments()))).toList();
        boolean callsOnly = !calls.isEmpty() && answer.content().isEmpty();
        return new ChatCompletionBody.Message("assistant", callsOnly ? null : answer.content(), null, answer.reasoning(),
                calls.isEmpty() ? null : calls);
    }

    private static ChatChunkBody.Delta delta(@Nullable AssistantPart part) {
        return switch (part) {
            case null -> ChatChunkBody.Delta.of("");
            case AssistantPart.Content(String text) -> ChatChunkBody.Delta.of(text);
            case AssistantPart.Reasoning(String text) -> new ChatChunkBody.Delta(null, null, text, null);
            case AssistantPart.ToolCallOpened(int index, String id, String name) -> call(
                    new ChatChunkBody.ToolCall(index, id, FUNCTION, new ChatChunkBody.Function(name, "")));
            case AssistantPart.ToolCallArguments(int index, String fragment) -> call(
                    new ChatChunkBody.ToolCall(index, null, null, new ChatChunkBody.Function(null, fragment)));
        };
    }

    private static ChatChunkBody.Delta call(ChatChunkBody.ToolCall call) {
        return new ChatChunkBody.Delta(null, null, null, List.of(call));
    }

    private AnswerLogprobs.@Nullable Chat probabilities(List<TokenLogprob> tokens) {
        return logprobs == null ? null : logprobs.chat(tokens);
    }

    private ChatChunkBody chunk(ChatChunkBody.Choice choice, @Nullable TimingsBody timings) {
        return new ChatChunkBody(head.id(), CHUNK, head.created(), head.model(), head.fingerprint(), head.serviceTier(), List.of(choice),
                head.usageAsked() ? ChunkUsage.NONE : null, timings);
    }
}

package dev.ringside.api;

import dev.ringside.chat.AssistantPart;
import dev.ringside.engine.TokenLogprob;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Bodies of {@code /v1/completions}, whole and streamed. */
final class TextFormat implements AnswerFormat {

    private final AnswerHead head;
    private final List<String> echoes;
    private final @Nullable AnswerLogprobs logprobs;
    private final int[] lengths;

    /**
     * @param echoes what the text of each choice begins with
     * @param logprobs writes probabilities, or null when they were not asked for
     */
    TextFormat(AnswerHead head, List<String> echoes, @Nullable AnswerLogprobs logprobs) {
        this.head = head;
        this.echoes = List.copyOf(echoes);
        this.logprobs = logprobs;
        this.lengths = new int[echoes.size()];
    }

    @Override
    public @Nullable Object opening(int choice) {
        String echo = echoes.get(choice);
        lengths[choice] = echo.length();
        return echo.isEmpty() ? null : chunk(new TextCompletionBody.Choice(echo, choice, null, null), null);
    }

    @Override
    public Object delta(int choice, @Nullable AssistantPart part, List<TokenLogprob> tokens) {
        String text = part instanceof AssistantPart.Content(String content) ? content : "";
        AnswerLogprobs.Text probabilities = tokens.isEmpty() ? null : probabilities(tokens, lengths[choice]);
        lengths[choice] += text.length();
        return chunk(new TextCompletionBody.Choice(text, choice, probabilities, null), null);
    }

    @Override
    public boolean hasPlainDeltas() {
        // With probabilities, where a text begins has to be known.
        return logprobs == null;
    }

    @Override
    public Object finish(int choice, AnswerEnd reason, TimingsBody timings) {
        return chunk(new TextCompletionBody.Choice("", choice, null, reason.word()), timings);
    }

    @Override
    public Object usage(UsageBody usage) {
        return body(List.of(), usage, null);
    }

    @Override
    public Object whole(List<Answer> answers) {
        List<TextCompletionBody.Choice> choices = new ArrayList<>(answers.size());
        for (Answer answer : answers) {
            String echo = echoes.get(choices.size());
            choices.add(new TextCompletionBody.Choice(echo + answer.content(), choices.size(),
                    probabilities(answer.logprobs(), echo.length()), answer.reason().word()));
        }
        Answer first = answers.getFirst();
        TimingsBody timings = answers.size() == 1 ? TimingsBody.of(first.usage(), first.timings()) : null;
        return body(choices, UsageBody.of(UsageSum.of(answers, head.choicesPerPrompt())), timings);
    }

    private AnswerLogprobs.@Nullable Text probabilities(List<TokenLogprob> tokens, int offset) {
        return logprobs == null ? null : logprobs.text(tokens, offset);
    }

    private TextCompletionBody chunk(TextCompletionBody.Choice choice, @Nullable TimingsBody timings) {
        return body(List.of(choice), head.usageAsked() ? ChunkUsage.NONE : null, timings);
    }

    private TextCompletionBody body(List<TextCompletionBody.Choice> choices, @Nullable ChunkUsage usage, @Nullable TimingsBody timings) {
        return new TextCompletionBody(head.id(), "text_completion", head.created(), head.model(), head.fingerprint(), choices, usage,
                timings);
    }
}

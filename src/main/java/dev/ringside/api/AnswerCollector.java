package dev.ringside.api;

import dev.ringside.chat.AssistantPart;
import dev.ringside.engine.TokenLogprob;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts a choice together from its events. */
final class AnswerCollector {

    private record OpenCall(String id, String name, StringBuilder arguments) {}

    private final StringBuilder content = new StringBuilder();
    private final StringBuilder reasoning = new StringBuilder();
    private final List<OpenCall> calls = new ArrayList<>();
    private final List<TokenLogprob> logprobs = new ArrayList<>();

    /** The answer when this was its last event, else null. */
    @Nullable
    Answer add(AnswerEvent event) {
        switch (event) {
            case AnswerEvent.Progress _ -> {
            }
            case AnswerEvent.Parts(List<AssistantPart> parts, List<TokenLogprob> more) -> {
                parts.forEach(this::add);
                logprobs.addAll(more);
            }
            case AnswerEvent.Finished done -> {
                List<AnswerCall> finished = calls.stream().map(call -> new AnswerCall(call.id(), call.name(), call.arguments().toString()))
                        .toList();
                return new Answer(content.toString(), reasoning.isEmpty() ? null : reasoning.toString(), finished, logprobs, done.reason(),
                        done.usage(), done.timings(), done.stop());
            }
        }
        return null;
    }

    private void add(AssistantPart part) {
        switch (part) {
            case AssistantPart.Content(String text) -> content.append(text);
            case AssistantPart.Reasoning(String text) -> reasoning.append(text);
            case AssistantPart.ToolCallOpened(int _, String id, String name) -> calls.add(new OpenCall(id, name, new StringBuilder()));
            case AssistantPart.ToolCallArguments(int index, String fragment) -> calls.get(index).arguments().append(fragment);
        }
    }
}

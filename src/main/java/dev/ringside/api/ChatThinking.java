package dev.ringside.api;

import dev.ringside.chat.AssistantFormat;
import dev.ringside.chat.ChatTemplate;
import dev.ringside.tokenizer.TextSpan;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How a model is told to think or not, and what its prompt says of it. */
final class ChatThinking {

    /** Where the model's turn begins. */
    enum Start {
        /** Inside the reasoning: the template opened it. */
        INSIDE,
        /** In front of the reasoning, if the model opens one. */
        BEFORE,
        /** At the answer. */
        AFTER
    }

    private static final String SWITCH = "enable_thinking";

    private final boolean switchable;
    private final AssistantFormat format;

    ChatThinking(@Nullable ChatTemplate template, AssistantFormat format) {
        this.switchable = template != null && template.source().contains(SWITCH);
        this.format = format;
    }

    /** The template's variables for thinking or not; none when the template has no switch. */
    Map<String, Boolean> variables(boolean on) {
        return switchable ? Map.of(SWITCH, on) : Map.of();
    }

    Start start(List<TextSpan> prompt) {
        if (format.reasoning().opener().isEmpty()) {
            return Start.AFTER;
        }
        return format.opensReasoning(prompt) ? Start.INSIDE : format.closesReasoning(prompt) ? Start.AFTER : Start.BEFORE;
    }
}

package dev.ringside.api;

import dev.ringside.sampling.grammar.Grammar;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns of gpt-oss as a grammar (OpenAI's harmony format): messages that each name their channel, of which the last one ends the turn. What is
 * thought stays free; the message behind it is the answer or a call, which there is one of in a turn.
 */
final class ChatChannelGrammar {

    private static final Grammar CHANNEL = Grammar.marker("<|channel|>");
    private static final Grammar MESSAGE = Grammar.marker("<|message|>");

    private ChatChannelGrammar() {}

    /**
     * What may follow {@code <|start|>assistant}.
     *
     * @param text the answer, or null when it is free
     */
    static Grammar answer(ChatTools tools, @Nullable Grammar text) {
        Grammar thought = Grammar.sequence(CHANNEL, Grammar.literal("analysis"), MESSAGE, Grammar.textUntil("<|end|>"),
                Grammar.marker("<|start|>"), Grammar.literal("assistant"));
        return Grammar.sequence(Grammar.optional(thought), Grammar.alternatives(lastMessages(tools, text)));
    }

    private static List<Grammar> lastMessages(ChatTools tools, @Nullable Grammar text) {
        List<Grammar> messages = new ArrayList<>();
        for (ChatTool tool : tools.callable()) {
            messages.add(Grammar.sequence(CHANNEL, Grammar.literal("commentary to=functions." + tool.name() + " "),
                    Grammar.marker("<|constrain|>"), Grammar.literal("json"), MESSAGE, ChatArgumentGrammar.json(tool)));
        }
        if (!tools.choice().isForced() || messages.isEmpty()) {
            Grammar free = Grammar.textWithout("<|start|>");
            messages.add(Grammar.sequence(CHANNEL, Grammar.literal("final"), MESSAGE, text == null ? free : text));
        }
        return messages;
    }
}

package dev.ringside.api;

import dev.ringside.chat.AssistantFormat;
import dev.ringside.chat.ChatRequest;
import dev.ringside.chat.ChatTemplate;
import dev.ringside.chat.TemplateException;
import dev.ringside.chat.ToolCatalog;
import dev.ringside.sampling.TokenConstraint;
import dev.ringside.tokenizer.TextSpan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** From conversations to generations, for every API that has conversations. Thread safe. */
final class ChatTurns {

    private static final String CALL_PREFIX = "call_";

    private final Prompts prompts;
    private final AssistantFormat format;
    private final ChatThinking thinking;
    private final ChatGrammars grammars;
    private final Generator generator;
    private final int contextLength;
    private final boolean toolsKnown;

    ChatTurns(@Nullable ChatTemplate template, AssistantFormat format, Prompts prompts, ChatGrammars grammars, Generator generator,
            int contextLength) {
        this.prompts = prompts;
        this.format = format;
        this.thinking = new ChatThinking(template, format);
        this.grammars = grammars;
        this.generator = generator;
        this.contextLength = contextLength;
        this.toolsKnown = template != null && template.source().contains("tools");
    }

    /** Template variables for thinking or not; none when the model's template has no switch for it. */
    Map<String, Boolean> thinkingSwitch(boolean on) {
        return thinking.variables(on);
    }

    /**
     * Renders, encodes and compiles: work for the prompt scheduler.
     *
     * @param id of the answer
     * @throws ApiException when something in the turn can't be honoured
     * @throws TemplateException when the template refuses the conversation
     */
    ChatGeneration prepare(String id, ChatTurn turn) {
        ChatTools tools = turn.tools();
        if (!tools.tools().isEmpty() && !toolsKnown) {
            throw ApiException.unsupported("tools", "The chat template of this model has no place for tools");
        }
        List<TextSpan> rendered = prompts.render(new ChatRequest(turn.messages(), tools.variables(), true, turn.templateVariables()));
        ChatThinking.Start start = thinking.start(rendered);
        Supplier<TokenConstraint> constraint = grammars.constraint(turn, start);
        Prompt prompt = prompts.encode(rendered);
        ToolCatalog catalog = ToolCatalog.of(tools.callable().stream().map(ChatTool::variables).toList());
        Set<String> markers = format.markers(catalog);
        List<AnswerChoice> choices = new ArrayList<>(turn.options().choices());
        for (int i = 0; i < turn.options().choices(); i++) {
            choices.add(new AnswerChoice(turn.options().request(id, 0, i, prompt, contextLength, constraint, markers),
                    () -> format.parser(start == ChatThinking.Start.INSIDE, catalog, () -> RequestId.create(CALL_PREFIX))));
        }
        return new ChatGeneration(prompt, choices, generator);
    }

    /** Token ids of a conversation, without anything being generated. */
    int[] promptTokens(ChatTurn turn) {
        return prompts.encode(prompts.render(new ChatRequest(turn.messages(), turn.tools().variables(), true, turn.templateVariables())))
                .ids();
    }
}

package dev.ringside.api;

import dev.ringside.chat.AssistantFormat;
import dev.ringside.chat.ToolFormat;
import dev.ringside.sampling.TokenConstraint;
import dev.ringside.sampling.grammar.CompiledGrammar;
import dev.ringside.sampling.grammar.Constraints;
import dev.ringside.sampling.grammar.Grammar;
import dev.ringside.sampling.grammar.GrammarException;
import dev.ringside.sampling.grammar.JsonGrammar;
import dev.ringside.sampling.grammar.JsonSchemas;
import dev.ringside.sampling.grammar.UnsupportedSchemaException;
import dev.ringside.tokenizer.Tokenizer;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What an answer may look like, as a constraint on its tokens. Thread safe. */
final class ChatGrammars {

    private final AssistantFormat format;
    private final ChatCallGrammar calls;
    private final Tokenizer tokenizer;
    private @Nullable Constraints constraints;

    ChatGrammars(AssistantFormat format, Tokenizer tokenizer) {
        this.format = format;
        this.calls = new ChatCallGrammar(format.tools());
        this.tokenizer = tokenizer;
    }

    /** What makes one constraint for each choice of a turn, or null when nothing is restricted. */
    @Nullable
    Supplier<TokenConstraint> constraint(ChatTurn turn, ChatThinking.Start start) {
        ChatTools tools = turn.tools();
        boolean callable = !tools.callable().isEmpty();
        boolean plain = turn.format() == ChatResponseFormat.Plain.TEXT;
        if (plain && !callable) {
            return null;
        }
        boolean must = !plain || tools.choice().isForced() || tools.tools().stream().anyMatch(ChatTool::strict);
        if (!must && !calls.hasTrigger() && (tools.parallel() || format.tools() == ToolFormat.HARMONY)) {
            return null;
        }
        try {
            Object key = List.of(start, tools, turn.format());
            CompiledGrammar grammar = constraints().compiled(key, () -> answer(turn, start));
            return grammar::newConstraint;
        } catch (GrammarException e) {
            if (!must) {
                // The model was only to be helped in writing its calls.
                return null;
            }
            throw ApiException.invalidValue(plain ? "tools" : "response_format", String.valueOf(e.getMessage()));
        }
    }

    private Grammar answer(ChatTurn turn, ChatThinking.Start start) {
        ChatTools tools = turn.tools();
        boolean plain = turn.format() == ChatResponseFormat.Plain.TEXT;
        boolean one = !tools.parallel() || tools.choice() instanceof ChatToolChoice.Named;
        if (format.tools() == ToolFormat.HARMONY) {
            return ChatChannelGrammar.answer(tools, plain ? null : text(turn.format()));
        }
        if (tools.choice().isForced()) {
            return afterReasoning(start, calls.required(tools, one), true);
        }
        if (plain) {
            return afterReasoning(start, calls.possible(tools, one), false);
        }
        Grammar text = text(turn.format());
        return afterReasoning(start, tools.callable().isEmpty() ? text : Grammar.alternatives(text, calls.required(tools, one)), true);
    }

    private static Grammar text(ChatResponseFormat format) {
        return switch (format) {
            case ChatResponseFormat.Plain plain -> switch (plain) {
                case JSON_OBJECT -> JsonGrammar.anyObject();
                case TEXT -> throw new IllegalArgumentException("Text is not restricted");
            };
            case ChatResponseFormat.JsonSchema schema -> {
                try {
                    yield JsonSchemas.compile(schema.schema());
                } catch (UnsupportedSchemaException e) {
                    throw ApiError.badRequest("response_format", "invalid_json_schema",
                            "The schema '" + schema.name() + "' can't be enforced: " + e.getMessage() + " (at " + e.path() + ")")
                            .toException();
                }
            }
        };
    }

    /** @param gap whether white space between reasoning and answer needs to be allowed for */
    private Grammar afterReasoning(ChatThinking.Start start, Grammar answer, boolean gap) {
        String closer = format.reasoning().closer();
        return switch (start) {
            case AFTER -> answer;
            case INSIDE -> gap
                    ? Grammar.sequence(Grammar.textUntil(closer), Grammar.whitespace(), answer)
                    : Grammar.sequence(Grammar.textUntil(closer), answer);
            case BEFORE -> {
                Grammar reasoning = Grammar.sequence(Grammar.marker(format.reasoning().opener()), Grammar.textUntil(closer),
                        Grammar.whitespace());
                yield Grammar.sequence(Grammar.optional(reasoning), answer);
            }
        };
    }

    /** The vocabulary is indexed for the first request that needs it, which most servers never see. */
    private synchronized Constraints constraints() {
        Constraints made = constraints;
        if (made == null) {
            made = Constraints.over(new ChatVocabulary(tokenizer));
            constraints = made;
        }
        return made;
    }
}

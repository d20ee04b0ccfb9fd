package dev.ringside.api;

import dev.ringside.chat.ToolFormat;
import dev.ringside.sampling.grammar.Grammar;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Tool calls as a grammar, in the spelling that a model was trained on. */
final class ChatCallGrammar {

    private static final String TAG = "<tool_call>";
    private static final String END_TAG = "</tool_call>";
    private static final String MISTRAL = "[TOOL_CALLS]";

    private final ToolFormat format;

    ChatCallGrammar(ToolFormat format) {
        this.format = format;
    }

    /** One call or more and nothing else. */
    Grammar required(ChatTools tools, boolean one) {
        return switch (format) {
            case JSON_TAGS, XML_TAGS, KEY_VALUE_TAGS ->
                several(Grammar.sequence(Grammar.marker(TAG), tagged(tools)), Grammar.literal("\n"), one);
            case DEEPSEEK -> Grammar.sequence(Grammar.marker("<｜tool▁calls▁begin｜>"),
                    several(Grammar.sequence(Grammar.marker("<｜tool▁call▁begin｜>"), named(tools)), null, one),
                    Grammar.marker("<｜tool▁calls▁end｜>"));
            case BARE_JSON -> several(objects(tools, "parameters"), Grammar.literal("; "), one);
            case MISTRAL -> Grammar.sequence(Grammar.marker(MISTRAL), list(tools, one));
            case HARMONY -> throw new IllegalStateException("Calls of this format are not constrained");
        };
    }

    /** Whether free text has a mark at which a call begins; without one the first character decides, which takes freedom from the model. */
    boolean hasTrigger() {
        return format != ToolFormat.BARE_JSON && format != ToolFormat.HARMONY;
    }

    /** Text in which calls, once begun, are right ones. */
    Grammar possible(ChatTools tools, boolean one) {
        int most = one ? 1 : Grammar.UNBOUNDED;
        return switch (format) {
            case JSON_TAGS, XML_TAGS, KEY_VALUE_TAGS -> Grammar.triggered(TAG, tagged(tools), most);
            case DEEPSEEK -> Grammar.triggered("<｜tool▁call▁begin｜>", named(tools), most);
            case MISTRAL -> Grammar.triggered(MISTRAL, list(tools, one), 1);
            case BARE_JSON -> Grammar.alternatives(several(objects(tools, "parameters"), Grammar.literal("; "), one),
                    Grammar.optional(Grammar.sequence(Grammar.pattern("[^{]"), Grammar.textWithout("<|python_tag|>"))));
            case HARMONY -> throw new IllegalStateException("Calls of this format are not constrained");
        };
    }

    /** What follows the opening tag. */
    private Grammar tagged(ChatTools tools) {
        return each(tools, tool -> switch (format) {
            case XML_TAGS -> ChatArgumentGrammar.canBeText(tool)
                    ? Grammar.sequence(Grammar.literal("\n<function=" + tool.name() + ">\n"),
                            ChatArgumentGrammar.text(tool, key -> "<parameter=" + key + ">\n", "\n", "</parameter>"),
                            Grammar.literal("</function>\n"), Grammar.marker(END_TAG))
                    : json(tool);
            case KEY_VALUE_TAGS -> ChatArgumentGrammar.canBeText(tool)
                    ? Grammar.sequence(Grammar.literal(tool.name() + "\n"),
                            ChatArgumentGrammar.text(tool, key -> "<arg_key>" + key + "</arg_key>\n<arg_value>", "", "</arg_value>"),
                            Grammar.marker(END_TAG))
                    : json(tool);
            default -> json(tool);
        });
    }

    private static Grammar json(ChatTool tool) {
        return Grammar.sequence(Grammar.literal("\n"), object(tool, "arguments"), Grammar.literal("\n"), Grammar.marker(END_TAG));
    }

    private static Grammar named(ChatTools tools) {
        return each(tools, tool -> Grammar.sequence(Grammar.literal(tool.name()), Grammar.marker("<｜tool▁sep｜>"),
                ChatArgumentGrammar.json(tool), Grammar.marker("<｜tool▁call▁end｜>")));
    }

    private static Grammar list(ChatTools tools, boolean one) {
        return Grammar.sequence(Grammar.literal("["), several(objects(tools, "arguments"), Grammar.literal(", "), one),
                Grammar.literal("]"));
    }

    private static Grammar objects(ChatTools tools, String argumentsKey) {
        return each(tools, tool -> object(tool, argumentsKey));
    }

    private static Grammar object(ChatTool tool, String argumentsKey) {
        return Grammar.sequence(Grammar.literal("{\"name\": \"" + tool.name() + "\", \"" + argumentsKey + "\": "),
                ChatArgumentGrammar.json(tool), Grammar.literal("}"));
    }

    private static Grammar each(ChatTools tools, Function<ChatTool, Grammar> grammar) {
        List<Grammar> all = tools.callable().stream().map(grammar).toList();
        return all.size() == 1 ? all.getFirst() : Grammar.alternatives(all);
    }

    private static Grammar several(Grammar call, @Nullable Grammar gap, boolean one) {
        if (one) {
            return call;
        }
        Grammar next = gap == null ? call : Grammar.sequence(gap, call);
        return Grammar.sequence(call, Grammar.repeat(next, 0, Grammar.UNBOUNDED));
    }
}

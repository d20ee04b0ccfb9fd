package dev.ringside.chat;

import java.util.List;
import java.util.Set;

/** How a model writes its tool calls. */
@SuppressWarnings("ImmutableEnumChecker") // the lists are immutable
public enum ToolFormat {

    /** {@code <tool_call>{"name": "f", "arguments": {...}}</tool_call>}: Hermes, Qwen2.5, Qwen3, QwQ. */
    JSON_TAGS(List.of("<tool_call>"), List.of("</tool_call>")),

    /** {@code <tool_call><function=f><parameter=x>1</parameter></function></tool_call>}: Qwen3-Coder, Qwen3.5 and later. */
    XML_TAGS(List.of("<tool_call>", "<function="), List.of("</tool_call>")),

    /** {@code <tool_call>f<arg_key>x</arg_key><arg_value>1</arg_value></tool_call>}: GLM-4.5 and later. */
    KEY_VALUE_TAGS(List.of("<tool_call>"), List.of()),

    /** {@code <｜tool▁call▁begin｜>f<｜tool▁sep｜>{...}<｜tool▁call▁end｜>}: DeepSeek-V3.1. */
    DEEPSEEK(List.of("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>", "<｜tool▁call▁begin｜>"),
            List.of("<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>")),

    /** {@code {"name": "f", "parameters": {...}}} as the whole answer, perhaps behind {@code <|python_tag|>}: Llama 3. */
    BARE_JSON(List.of("<|python_tag|>"), List.of(";")),

    /** {@code [TOOL_CALLS][{"name": "f", "arguments": {...}}]} or {@code [TOOL_CALLS]f[ARGS]{...}}: Mistral. */
    MISTRAL(List.of("[TOOL_CALLS]"), List.of(",", "]")),

    /** {@code <|channel|>commentary to=functions.f<|message|>{...}<|call|>}: gpt-oss. */
    HARMONY(List.of(), List.of());

    private final List<String> openers;
    private final List<String> closers;

    ToolFormat(List<String> openers, List<String> closers) {
        this.openers = openers;
        this.closers = closers;
    }

    /** Marks that open a call. */
    List<String> openers() {
        return openers;
    }

    /** Marks that may follow a call and say nothing. */
    List<String> closers() {
        return closers;
    }

    /** All marks that steer the reading of calls. */
    Set<String> markers() {
        return switch (this) {
            case JSON_TAGS -> Set.of("<tool_call>", "</tool_call>");
            case XML_TAGS -> Set.of("<tool_call>", "</tool_call>", "<function=", "</function>", "<parameter=", "</parameter>");
            case KEY_VALUE_TAGS -> Set.of("<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>");
            case DEEPSEEK -> Set.of("<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>",
                    "<｜tool▁calls▁end｜>");
            case BARE_JSON -> Set.of("<|python_tag|>");
            case MISTRAL -> Set.of("[TOOL_CALLS]", "[CALL_ID]", "[ARGS]");
            case HARMONY -> Set.of("<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|end|>", "<|call|>", "<|return|>");
        };
    }

    /** Whether a call can begin the answer with a bracket, without any mark. */
    boolean opensWith(char c) {
        return this == BARE_JSON && c == '{' || this == MISTRAL && c == '[';
    }

    /** Whether another call can follow one with no mark but this character. */
    boolean continuesWith(char c) {
        return c == '{' && (this == BARE_JSON || this == MISTRAL || this == JSON_TAGS);
    }

    /**
     * A reader for one call.
     *
     * @param marked whether a mark opened it; without one only the name of a known tool makes it a call
     */
    CallReader reader(String opener, boolean marked, ToolCatalog tools) {
        return switch (this) {
            case JSON_TAGS -> marked ? new TaggedCallReader(tools, false) : new JsonCallReader(_ -> true);
            case XML_TAGS -> opener.equals("<function=") ? new XmlCallReader(tools) : new TaggedCallReader(tools, false);
            case KEY_VALUE_TAGS -> new TaggedCallReader(tools, true);
            case DEEPSEEK -> new NamedCallReader("<｜tool▁sep｜>");
            case BARE_JSON -> new JsonCallReader(marked ? _ -> true : tools.names()::contains);
            case MISTRAL -> new ListedCallReader(marked ? _ -> true : tools.names()::contains, marked);
            case HARMONY -> throw new IllegalStateException("Calls of this format are messages of their own");
        };
    }
}

package dev.ringside.chat;

import dev.ringside.tokenizer.TextSpan;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** How a model marks its reasoning and its tool calls, which its chat template shows. */
public record AssistantFormat(ReasoningFormat reasoning, ToolFormat tools) {

    /**
     * Judges by the marks that occur in a chat template. A template that shows no calls is taken to mean the most common format, JSON between
     * tags.
     */
    public static AssistantFormat detect(String template) {
        if (template.contains("<|channel|>") && template.contains("<|message|>")) {
            return new AssistantFormat(ReasoningFormat.HARMONY, ToolFormat.HARMONY);
        }
        return new AssistantFormat(reasoning(template), tools(template));
    }

    private static ReasoningFormat reasoning(String template) {
        if (template.contains("<think>") || template.contains("</think>")) {
            return ReasoningFormat.THINK_TAGS;
        }
        return template.contains("[THINK]") ? ReasoningFormat.THINK_BRACKETS : ReasoningFormat.NONE;
    }

    private static ToolFormat tools(String template) {
        if (template.contains("<function=") && template.contains("<parameter=")) {
            return ToolFormat.XML_TAGS;
        }
        if (template.contains("<arg_key>")) {
            return ToolFormat.KEY_VALUE_TAGS;
        }
        if (template.contains("<tool_call>")) {
            return ToolFormat.JSON_TAGS;
        }
        if (template.contains("<｜tool▁call▁begin｜>")) {
            return ToolFormat.DEEPSEEK;
        }
        if (template.contains("[TOOL_CALLS]")) {
            return ToolFormat.MISTRAL;
        }
        boolean llama = template.contains("<|python_tag|>") || template.contains("<|eom_id|>") || template.contains("<|start_header_id|>");
        return llama ? ToolFormat.BARE_JSON : ToolFormat.JSON_TAGS;
    }

    /** Whether a rendered prompt ends inside the reasoning, because the template wrote the mark before it. */
    public boolean opensReasoning(List<TextSpan> prompt) {
        return endsWith(prompt, reasoning.opener());
    }

    /** Whether a rendered prompt ends behind the reasoning, because the template wrote an empty one. */
    public boolean closesReasoning(List<TextSpan> prompt) {
        return endsWith(prompt, reasoning.closer());
    }

    /**
     * Spellings that {@link #parser} looks for. Where a vocabulary has control tokens for them, they have to appear in the generated text.
     *
     * @param catalog the tools that may be called; without any, the marks of calls mean nothing
     */
    public Set<String> markers(ToolCatalog catalog) {
        if (reasoning == ReasoningFormat.HARMONY || tools == ToolFormat.HARMONY) {
            // Channels are marked with or without tools.
            return ToolFormat.HARMONY.markers();
        }
        Set<String> markers = new HashSet<>();
        if (reasoning != ReasoningFormat.NONE) {
            markers.add(reasoning.opener());
            markers.add(reasoning.closer());
        }
        if (!catalog.isEmpty()) {
            markers.addAll(tools.markers());
        }
        return Set.copyOf(markers);
    }

    private static boolean endsWith(List<TextSpan> prompt, String mark) {
        for (int i = prompt.size() - 1; i >= 0 && !mark.isEmpty(); i--) {
            TextSpan span = prompt.get(i);
            if (!span.text().isBlank()) {
                return span.fromTemplate() && span.text().stripTrailing().endsWith(mark);
            }
        }
        return false;
    }

    /**
     * A parser for one turn.
     *
     * @param thinking whether the prompt ends inside the reasoning
     * @param catalog the tools that may be called; without any, the spelling of a call is text
     * @param ids makes the id of each call
     */
    public AssistantParser parser(boolean thinking, ToolCatalog catalog, Supplier<String> ids) {
        PartWriter writer = new PartWriter(ids);
        if (reasoning == ReasoningFormat.HARMONY || tools == ToolFormat.HARMONY) {
            return new TurnParser(writer, new HarmonySplitter(!catalog.isEmpty(), writer));
        }
        TextSink answer = catalog.isEmpty() ? new PlainText(writer) : new ToolCallSplitter(tools, catalog, writer);
        return new TurnParser(writer,
                reasoning == ReasoningFormat.NONE ? answer : new ReasoningSplitter(reasoning, thinking, writer, answer));
    }

    private record PlainText(PartWriter out) implements TextSink {

        @Override
        public void accept(char c) {
            out.content(c);
        }

        @Override
        public void end() {
            // Nothing is held back.
        }
    }
}

package dev.ringside.chat;

import dev.ringside.chat.jinja.JinjaException;
import dev.ringside.chat.jinja.JinjaTemplate;
import dev.ringside.chat.jinja.Limits;
import dev.ringside.tokenizer.TextSpan;
import dev.ringside.tokenizer.Tokenizer;
import java.time.Clock;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A model's chat template: turns a conversation into the prompt it was trained on. The prompt comes in spans that say whether the
 * template wrote them or they came out of the request, so that the spelling of a control token in a message stays plain text.
 * Immutable and safe for use by many threads.
 */
public final class ChatTemplate {

    /** The plain ChatML format, for model files without a template. */
    static final String CHATML = """
        {%- for message in messages -%}
        {{- '<|im_start|>' ~ message.role ~ '\\n' ~ message.content ~ '<|im_end|>\\n' -}}
        {%- endfor -%}
        {%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}
        """;

    private final String source;
    private final JinjaTemplate template;
    private final Map<String, String> tokenSpellings;
    private final Clock clock;

    private ChatTemplate(String source, JinjaTemplate template, Map<String, String> tokenSpellings, Clock clock) {
        this.source = source;
        this.template = template;
        this.tokenSpellings = tokenSpellings;
        this.clock = clock;
    }

    /**
     * Parses a template that does not need the spellings of the BOS and EOS tokens.
     *
     * @throws TemplateException with the line of what cannot be parsed
     */
    public static ChatTemplate parse(String source) {
        return parse(source, Map.of(), Clock.system(ZoneId.systemDefault()));
    }

    /**
     * Parses a template.
     *
     * @param tokenSpellings variables whose text counts as the template's own, such as {@code bos_token}
     * @param clock for {@code strftime_now}
     * @throws TemplateException with the line of what cannot be parsed
     */
    public static ChatTemplate parse(String source, Map<String, String> tokenSpellings, Clock clock) {
        try {
            return new ChatTemplate(source, JinjaTemplate.parse(source, Limits.DEFAULT), Map.copyOf(tokenSpellings), clock);
        } catch (JinjaException e) {
            throw translate(e);
        }
    }

    /**
     * The template of a model, with its BOS and EOS tokens: {@code source} if the file has one (key {@code tokenizer.chat_template}), else
     * ChatML if the vocabulary has {@code <|im_start|>}.
     *
     * @return null when the model has no template and is not a ChatML model
     * @throws TemplateException with the line of what cannot be parsed
     */
    public static @Nullable ChatTemplate forModel(@Nullable String source, Tokenizer tokenizer) {
        String chosen = source;
        if (chosen == null || chosen.isBlank()) {
            if (tokenizer.idOf("<|im_start|>").isEmpty()) {
                return null;
            }
            chosen = CHATML;
        }
        Map<String, String> spellings = new LinkedHashMap<>();
        spellings.put("eos_token", tokenizer.piece(tokenizer.eosToken()));
        tokenizer.bosToken().ifPresent(bos -> spellings.put("bos_token", tokenizer.piece(bos)));
        return parse(chosen, spellings, Clock.system(ZoneId.systemDefault()));
    }

    /** The template's text. */
    public String source() {
        return source;
    }

    /**
     * Renders a conversation.
     *
     * @throws TemplateException when the template refuses the conversation, fails on it, or uses up its limits
     */
    public List<TextSpan> render(ChatRequest request) {
        Map<String, @Nullable Object> variables = new LinkedHashMap<>();
        variables.putAll(request.variables());
        variables.put("messages", request.messages().stream().map(ChatTemplate::variables).toList());
        variables.put("tools", request.tools().isEmpty() ? null : request.tools());
        variables.put("add_generation_prompt", request.addGenerationPrompt());
        tokenSpellings.keySet().forEach(variables::remove);
        try {
            return template.render(tokenSpellings, variables, () -> ZonedDateTime.now(clock));
        } catch (JinjaException e) {
            throw translate(e);
        }
    }

    /** As {@link #render(ChatRequest)}, in one string. */
    public String renderText(ChatRequest request) {
        return render(request).stream().map(TextSpan::text).collect(Collectors.joining());
    }

    private static Map<String, Object> variables(ChatMessage message) {
        Map<String, Object> variables = new LinkedHashMap<>();
        variables.put("role", message.role());
        variables.put("content", message.content());
        putIfPresent(variables, "reasoning_content", message.reasoning());
        if (!message.toolCalls().isEmpty()) {
            variables.put("tool_calls", message.toolCalls().stream().map(ChatTemplate::variables).toList());
        }
        putIfPresent(variables, "tool_call_id", message.toolCallId());
        putIfPresent(variables, "name", message.name());
        return variables;
    }

    private static void putIfPresent(Map<String, Object> variables, String name, @Nullable String value) {
        if (value != null) {
            variables.put(name, value);
        }
    }

    private static Map<String, Object> variables(ToolCall call) {
        Map<String, Object> function = new LinkedHashMap<>();
        function.put("name", call.name());
        function.put("arguments", call.arguments());
        Map<String, Object> variables = new LinkedHashMap<>();
        variables.put("id", call.id());
        variables.put("type", "function");
        variables.put("function", function);
        return variables;
    }

    private static TemplateException translate(JinjaException e) {
        return new TemplateException(Objects.requireNonNullElse(e.getMessage(), "chat template failed"), e.raisedByTemplate(), e);
    }
}

package dev.ringside.chat.jinja;

import dev.ringside.tokenizer.TextSpan;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A parsed template; immutable and safe for use by many threads. The dialect is Jinja 3 as transformers sets it up for chat templates
 * (trim_blocks, lstrip_blocks, loop controls, {@code generation} blocks, {@code tojson} without ASCII escapes, {@code raise_exception},
 * {@code strftime_now}), without inheritance, inclusion and anything that changes a value.
 */
public final class JinjaTemplate {

    private final List<Statement> statements;
    private final Limits limits;

    private JinjaTemplate(List<Statement> statements, Limits limits) {
        this.statements = statements;
        this.limits = limits;
    }

    /** @throws JinjaException with the line of what cannot be parsed, or when the source is beyond the limits */
    public static JinjaTemplate parse(String source, Limits limits) {
        return new JinjaTemplate(TemplateParser.parse(source, limits), limits);
    }

    /**
     * Renders the template.
     *
     * @param trusted strings that count as written by the template, such as the spelling of the EOS token
     * @param content values out of a request, as JSON libraries make them (maps, lists, strings, numbers, booleans, null); their characters
     *        are marked as not from the template wherever they end up
     * @param now the time for {@code strftime_now}
     * @return the output, in pieces of one origin each
     * @throws JinjaException when the template fails, refuses its input or uses up its limits
     */
    public List<TextSpan> render(Map<String, String> trusted, Map<String, ? extends @Nullable Object> content,
            Supplier<ZonedDateTime> now) {
        Scope variables = new Scope(null);
        trusted.forEach((name, value) -> variables.set(name, Text.template(value)));
        content.forEach((name, value) -> variables.set(name, Values.content(value)));
        RenderContext context = new RenderContext(new Budget(limits), now);
        try {
            return new Interpreter(context).render(statements, variables).spans();
        } catch (StackOverflowError e) {
            // The nesting limit comes first on a stack of usual size; nothing but this rendering's own objects was touched.
            throw new JinjaException("nested too deeply for this thread's stack");
        }
    }
}

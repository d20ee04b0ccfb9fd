package dev.ringside.api;

import dev.ringside.chat.AssistantPart;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The chunks of one choice that differ in their text only, each made when it is first needed. */
final class DeltaTemplates {

    private final Function<AssistantPart, byte[]> writer;
    private @Nullable DeltaTemplate content;
    private @Nullable DeltaTemplate reasoning;
    private @Nullable DeltaTemplate arguments;
    private int call = -1;

    /** @param writer bytes of the event that a part becomes */
    DeltaTemplates(Function<AssistantPart, byte[]> writer) {
        this.writer = writer;
    }

    /** As {@link SignalEncoder#lookAhead}. */
    int lookAhead() {
        DeltaTemplate one = content;
        return one == null ? 0 : one.lookAhead();
    }

    /** Writes a part; false, and nothing is written, when there is no template for it. */
    boolean write(AssistantPart part, EventBytes out) {
        return switch (part) {
            case AssistantPart.Content(String text) -> {
                if (content == null) {
                    content = DeltaTemplate.of(other -> writer.apply(new AssistantPart.Content(other)));
                }
                yield content.write(text, out);
            }
            case AssistantPart.Reasoning(String text) -> {
                if (reasoning == null) {
                    reasoning = DeltaTemplate.of(other -> writer.apply(new AssistantPart.Reasoning(other)));
                }
                yield reasoning.write(text, out);
            }
            case AssistantPart.ToolCallArguments(int index, String fragment) -> {
                if (arguments == null || call != index) {
                    call = index;
                    arguments = DeltaTemplate.of(other -> writer.apply(new AssistantPart.ToolCallArguments(index, other)));
                }
                yield arguments.write(fragment, out);
            }
            case AssistantPart.ToolCallOpened _ -> false;
        };
    }
}

package dev.ringside.chat;

import java.util.function.Consumer;

/**
 * Separates the text of one assistant turn into answer, reasoning and tool calls while it is generated. Whatever way the text is cut, the
 * parts joined are the same. Not thread safe.
 */
public interface AssistantParser {

    /** Takes more of the turn; parts that are certain by now go to {@code out}. */
    void append(String text, Consumer<? super AssistantPart> out);

    /** The turn is over; what was held back goes to {@code out}, a call that was cut off as far as it came. */
    void end(Consumer<? super AssistantPart> out);

    /** Tool calls opened so far. */
    int toolCalls();
}

package dev.ringside.chat;

import java.util.function.Consumer;

/** Feeds the text of a turn to what takes it apart, character by character: so it can't matter how it is cut. */
final class TurnParser implements AssistantParser {

    private final PartWriter writer;
    private final TextSink sink;

    TurnParser(PartWriter writer, TextSink sink) {
        this.writer = writer;
        this.sink = sink;
    }

    @Override
    public void append(String text, Consumer<? super AssistantPart> out) {
        writer.begin(out);
        for (int i = 0; i < text.length(); i++) {
            sink.accept(text.charAt(i));
        }
        writer.flush();
    }

    @Override
    public void end(Consumer<? super AssistantPart> out) {
        writer.begin(out);
        sink.end();
        writer.flush();
    }

    @Override
    public int toolCalls() {
        return writer.calls();
    }
}

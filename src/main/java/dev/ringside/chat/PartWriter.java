package dev.ringside.chat;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Collects the parts of a turn, joining neighbours of one kind, and numbers the calls. */
final class PartWriter implements CallOutput {

    private enum Kind {
        NOTHING, CONTENT, REASONING, ARGUMENTS
    }

    private final Supplier<String> ids;
    private final StringBuilder text = new StringBuilder();
    private Kind kind = Kind.NOTHING;
    private @Nullable Consumer<? super AssistantPart> out;
    private int calls;

    PartWriter(Supplier<String> ids) {
        this.ids = ids;
    }

    /** Parts go to {@code out} until {@link #flush()}. */
    void begin(Consumer<? super AssistantPart> out) {
        this.out = out;
    }

    void content(CharSequence more) {
        write(Kind.CONTENT, more);
    }

    void content(char more) {
        become(Kind.CONTENT);
        text.append(more);
    }

    void reasoning(char more) {
        become(Kind.REASONING);
        text.append(more);
    }

    void reasoning(CharSequence more) {
        write(Kind.REASONING, more);
    }

    @Override
    public void opened(String name) {
        flush();
        emit(new AssistantPart.ToolCallOpened(calls++, ids.get(), name));
    }

    @Override
    public void arguments(CharSequence more) {
        write(Kind.ARGUMENTS, more);
    }

    int calls() {
        return calls;
    }

    /** Hands on what was collected. */
    void flush() {
        if (text.isEmpty()) {
            return;
        }
        String joined = text.toString();
        text.setLength(0);
        switch (kind) {
            case CONTENT -> emit(new AssistantPart.Content(joined));
            case REASONING -> emit(new AssistantPart.Reasoning(joined));
            case ARGUMENTS -> emit(new AssistantPart.ToolCallArguments(calls - 1, joined));
            case NOTHING -> throw new IllegalStateException("Text of no kind");
        }
    }

    private void write(Kind next, CharSequence more) {
        if (more.isEmpty()) {
            return;
        }
        become(next);
        text.append(more);
    }

    private void become(Kind next) {
        if (kind != next) {
            flush();
            kind = next;
        }
    }

    private void emit(AssistantPart part) {
        if (out == null) {
            throw new IllegalStateException("Parts without a receiver");
        }
        out.accept(part);
    }
}

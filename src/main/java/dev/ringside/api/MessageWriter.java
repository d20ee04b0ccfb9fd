package dev.ringside.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.ringside.chat.AssistantPart;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes one answer of {@code /v1/messages} as events: cuts the turn into blocks and tells of each as it grows. */
final class MessageWriter implements TurnWriter {

    private enum Kind {
        NONE, TEXT, THINKING, TOOL
    }

    private static final Map<String, String> PING = Map.of("type", "ping");

    private final MessageHead head;
    private Kind open = Kind.NONE;
    private int index = -1;

    MessageWriter(MessageHead head) {
        this.head = head;
    }

    @Override
    public void begin(NamedEvents out) {
        out.event("message_start", new Start("message_start",
                new MessageBody(head.id(), "message", "assistant", head.model(), List.of(), null, null,
                        MessageUsage.begun(head.promptTokens()))));
    }

    @Override
    public void part(AssistantPart part, NamedEvents out) {
        switch (part) {
            case AssistantPart.Content(String text) -> {
                if (!text.isEmpty()) {
                    openUnless(Kind.TEXT, new MessageBlock.Text(""), out);
                    delta(new TextDelta("text_delta", text), out);
                }
            }
            case AssistantPart.Reasoning(String text) -> {
                if (!text.isEmpty()) {
                    openUnless(Kind.THINKING, new MessageBlock.Thinking(""), out);
                    if (head.showsThinking()) {
                        delta(new ThinkingDelta("thinking_delta", text), out);
                    }
                }
            }
            case AssistantPart.ToolCallOpened(int _, String id, String name) -> {
                close(out);
                open(Kind.TOOL, new MessageBlock.ToolUse(id, name, Map.of()), out);
            }
            case AssistantPart.ToolCallArguments(int _, String fragment) -> {
                if (open == Kind.TOOL && !fragment.isEmpty()) {
                    delta(new InputDelta("input_json_delta", fragment), out);
                }
            }
        }
    }

    @Override
    public void finish(AnswerEvent.Finished end, NamedEvents out) {
        if (index < 0) {
            open(Kind.TEXT, new MessageBlock.Text(""), out);
        }
        close(out);
        out.event("message_delta", new MessageDelta("message_delta",
                new Ending(MessageBody.stopReason(end.reason(), end.stop()), end.stop()), MessageUsage.of(end.usage())));
        out.event("message_stop", Map.of("type", "message_stop"));
    }

    @Override
    public void fail(ApiError error, NamedEvents out) {
        out.event("error", MessageErrorBody.of(error, head.requestId()));
    }

    @Override
    public void ping(NamedEvents out) {
        out.event("ping", PING);
    }

    private void openUnless(Kind kind, MessageBlock block, NamedEvents out) {
        if (open != kind) {
            close(out);
            open(kind, block, out);
        }
    }

    private void open(Kind kind, MessageBlock block, NamedEvents out) {
        open = kind;
        index++;
        out.event("content_block_start", new BlockStart("content_block_start", index, block));
    }

    private void close(NamedEvents out) {
        if (open != Kind.NONE) {
            open = Kind.NONE;
            out.event("content_block_stop", new BlockStop("content_block_stop", index));
        }
    }

    private void delta(Object delta, NamedEvents out) {
        out.event("content_block_delta", new BlockDelta("content_block_delta", index, delta));
    }

    record Start(String type, MessageBody message) {}

    record BlockStart(String type, int index, MessageBlock contentBlock) {}

    record BlockDelta(String type, int index, Object delta) {}

    record BlockStop(String type, int index) {}

    record TextDelta(String type, String text) {}

    record ThinkingDelta(String type, String thinking) {}

    record InputDelta(String type, String partialJson) {}

    record MessageDelta(String type, Ending delta, MessageUsage usage) {}

    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Ending(String stopReason, @Nullable String stopSequence) {}
}

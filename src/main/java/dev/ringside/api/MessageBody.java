package dev.ringside.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A whole answer of {@code /v1/messages}. */
record MessageBody(String id, String type, String role, String model, List<MessageBlock> content, @Nullable String stopReason,
        @Nullable String stopSequence, MessageUsage usage) {

    static MessageBody of(MessageHead head, Answer answer, JsonBody json) {
        List<MessageBlock> blocks = new ArrayList<>();
        if (answer.reasoning() != null) {
            blocks.add(new MessageBlock.Thinking(head.showsThinking() ? answer.reasoning() : ""));
        }
        if (!answer.content().isEmpty() || answer.calls().isEmpty()) {
            blocks.add(new MessageBlock.Text(answer.content()));
        }
        answer.calls().forEach(call -> blocks.add(new MessageBlock.ToolUse(call.id(), call.name(), input(call.arguments(), json))));
        return new MessageBody(head.id(), "message", "assistant", head.model(), blocks, stopReason(answer.reason(), answer.stop()),
                answer.stop(), MessageUsage.of(answer.usage()));
    }

    /** Arguments that were cut off are no JSON; the reason of the end says so. */
    private static Map<String, @Nullable Object> input(String arguments, JsonBody json) {
        JsonNode parsed = json.parseQuietly(arguments);
        return parsed != null && parsed.isObject() ? JsonValues.map(parsed) : Map.of();
    }

    static String stopReason(AnswerEnd end, @Nullable String stop) {
        return switch (end) {
            case STOP -> stop == null ? "end_turn" : "stop_sequence";
            case LENGTH -> "max_tokens";
            case TOOL_CALLS -> "tool_use";
        };
    }
}

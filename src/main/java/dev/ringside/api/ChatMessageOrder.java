package dev.ringside.api;

import dev.ringside.chat.ChatMessage;
import dev.ringside.chat.ToolCall;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Sees to it that tool calls and their answers belong together, as OpenAI does. */
final class ChatMessageOrder {

    private ChatMessageOrder() {}

    static void check(List<ChatMessage> messages) {
        Set<String> open = new LinkedHashSet<>();
        Set<String> answered = new LinkedHashSet<>();
        int caller = -1;
        for (int i = 0; i < messages.size(); i++) {
            ChatMessage message = messages.get(i);
            if (message.role().equals("tool")) {
                answer(message, i, open, answered);
                continue;
            }
            refuseUnanswered(open, caller);
            answered.clear();
            caller = i;
            for (ToolCall call : message.toolCalls()) {
                if (!open.add(call.id())) {
                    throw ApiException.invalidValue(path(i, "tool_calls"), path(i, "tool_calls") + " has the id '"
                            + Quote.shorten(call.id()) + "' twice");
                }
            }
        }
        refuseUnanswered(open, caller);
    }

    private static void answer(ChatMessage message, int index, Set<String> open, Set<String> answered) {
        String id = message.toolCallId();
        if (id == null) {
            throw ApiException.missing(path(index, "tool_call_id"));
        }
        if (!open.remove(id) && !answered.contains(id)) {
            throw ApiException.invalidValue(path(index, "tool_call_id"), path(index, "tool_call_id") + " '" + Quote.shorten(id)
                    + "' refers to no call: messages of role tool must follow an assistant message whose tool_calls have the id");
        }
        answered.add(id);
    }

    private static void refuseUnanswered(Set<String> open, int caller) {
        if (!open.isEmpty()) {
            throw ApiException.invalidValue("messages[" + caller + "]", "messages[" + caller
                    + "].tool_calls must be followed by messages of role tool that answer each call; missing are "
                    + Quote.shorten(String.join(", ", open)));
        }
    }

    private static String path(int index, String field) {
        return "messages[" + index + "]." + field;
    }
}
